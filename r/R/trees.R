# Trees of rpart: the table of their leaves.

as_output.rpart <- function(x, decimals = 2, name = NULL, ...) {
  if (!x$method %in% c("class", "anova")) stop("Divulge reads rpart with the methods class and anova.", call. = FALSE)
  if (!is.null(x$call$weights)) stop("Divulge reads rpart without weights.", call. = FALSE)
  is_leaf <- x$frame$var == "<leaf>"
  if (sum(is_leaf) < 2) stop("the tree asks no question.", call. = FALSE)
  leaves <- leaf_conditions(x)[is_leaf]
  response <- all.vars(formula(x))[1]
  spec <- list(kind = "tree", response = response, variables = I(setdiff(unique(as.character(x$frame$var)), "<leaf>")),
               leaves = I(leaves))
  if (x$method == "class") {
    classes <- attr(x, "ylevels")
    counts <- x$frame$yval2[is_leaf, 1 + seq_along(classes), drop = FALSE]
    labels <- paste0(response, "=", rep(classes, each = length(leaves)), " in ", leaves)
    values <- as.character(as.vector(counts))
  } else {
    spec$kind <- "regression-tree"
    spec$decimals <- as.integer(rep(c(0, decimals), each = length(leaves)))
    labels <- c(paste("n in", leaves), paste("mean in", leaves))
    values <- c(as.character(x$frame$n[is_leaf]), printed(x$frame$yval[is_leaf], decimals))
  }
  if (!is.null(name)) spec$name <- name
  rows <- data.frame(label = labels, value = values, stringsAsFactors = FALSE)
  data <- tryCatch(data_of(x), error = function(e) NULL)
  new_output(with_rows_of(spec, x$call, data, formula(x)), list(released = rows), data)
}

# The condition that leads to each node: those of its ancestors' questions, the root's first.
leaf_conditions <- function(x) {
  nodes <- as.integer(rownames(x$frame))
  asked <- questions(x)
  vapply(nodes, function(node) {
    path <- rev(node %/% 2^(0:floor(log2(node))))
    paste(vapply(path[-1], function(one) {
      asked[[if (one %% 2 == 0) "left" else "right"]][match(one %/% 2, nodes)]
    }, ""), collapse = " and ")
  }, "")
}

# What is true on the left and on the right of each node's question. In `splits` each question is followed by its
# competitors and surrogates, which `ncompete` and `nsurrogate` count.
questions <- function(x) {
  left <- right <- rep("", nrow(x$frame))
  inner <- which(x$frame$var != "<leaf>")
  first <- cumsum(c(1, 1 + x$frame$ncompete[inner] + x$frame$nsurrogate[inner]))[seq_along(inner)]
  for (k in seq_along(inner)) {
    name <- as.character(x$frame$var[inner[k]])
    split <- x$splits[first[k], ]
    if (abs(split[["ncat"]]) == 1) {
      at <- format(split[["index"]], digits = 15, trim = TRUE)
      signs <- if (split[["ncat"]] < 0) c("<", ">=") else c(">=", "<")
      sides <- paste(column_name(name), signs, at)
      # A yes or no is asked as a number between 0 and 1.
      if (isTRUE(attr(x$terms, "dataClasses")[name] == "logical")) {
        sides <- paste(column_name(name), "=", if (signs[1] == "<") c("FALSE", "TRUE") else c("TRUE", "FALSE"))
      }
    } else {
      levels <- attr(x, "xlevels")[[name]]
      goes <- x$csplit[split[["index"]], seq_along(levels)]
      sides <- vapply(c(1, 3), function(side) any_of(name, levels[goes == side]), "")
    }
    left[inner[k]] <- sides[1]
    right[inner[k]] <- sides[2]
  }
  list(left = left, right = right)
}

# `(town = 'Bath' or town = 'Ely')`
any_of <- function(name, levels) {
  one <- paste0(column_name(name), " = ", ifelse(grepl("'", levels, fixed = TRUE), sprintf("\"%s\"", levels), sprintf("'%s'", levels)))
  if (length(one) == 1) one else paste0("(", paste(one, collapse = " or "), ")")
}

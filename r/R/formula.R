# R's formulas as Divulge writes them, and R's names of coefficients as Divulge's labels.

# The text of an expression: `x^2` is `x**2`, `factor(x)` is `C(x)`.
expression_text <- function(e) {
  if (is.symbol(e)) return(as.character(e))
  if (!is.call(e)) return(deparse(e))
  name <- as.character(e[[1]])[1]
  parts <- vapply(as.list(e)[-1], expression_text, "")
  if (name %in% c("factor", "as.factor")) return(sprintf("C(%s)", parts[1]))
  if (name == "^") return(sprintf("%s**%s", parts[1], parts[2]))
  if (name == "(") return(sprintf("(%s)", parts[1]))
  if (name %in% c("+", "-", "*", "/") && length(parts) == 2) {
    return(sprintf("%s %s %s", parts[1], name, parts[2]))
  }
  if (name == "-" && length(parts) == 1) return(paste0("-", parts))
  sprintf("%s(%s)", name, paste(parts, collapse = ", "))
}

# The level of a variable of the data that comes first, as Divulge orders them: by number, else by character.
first_level <- function(name, fit) {
  data <- tryCatch(data_of(fit), error = function(e) NULL)
  values <- unique(as.character(data[[name]]))
  values <- values[!is.na(values)]
  numbers <- suppressWarnings(as.numeric(values))
  if (length(values) && !anyNA(numbers)) values[which.min(numbers)] else sort(values, method = "radix")[1]
}

# One component of a term: how a formula of Divulge's names it, and what R and Divulge call its columns.
component <- function(variable, fit, contrast_of) {
  levels <- fit$xlevels[[variable]]
  inside <- str2lang(variable)
  if (is.null(levels)) {
    # A yes or no is a category of two, of which R names the second.
    if (isTRUE(attr(fit$terms, "dataClasses")[variable] == "logical")) {
      levels <- c("FALSE", "TRUE")
    } else {
      text <- expression_text(inside)
      return(list(text = text, pieces = stats::setNames(text, variable)))
    }
  }
  contrast <- contrast_of[[variable]]
  if (!is.null(contrast) && !identical(contrast, "contr.treatment")) {
    stop("the contrasts of ", variable, " are ", contrast, "; Divulge reads contr.treatment.", call. = FALSE)
  }
  plain <- all.vars(inside)
  if (length(plain) != 1) stop("`", variable, "` is a category made of several variables.", call. = FALSE)
  # The first level of the data is the reference that a formula means without a word.
  text <- if (identical(levels[1], first_level(plain, fit))) {
    sprintf("C(%s)", plain)
  } else {
    sprintf("C(%s, Treatment('%s'))", plain, levels[1])
  }
  pieces <- c(
    stats::setNames(sprintf("%s[T.%s]", text, levels), paste0(variable, levels))
  )
  list(text = text, pieces = pieces)
}

# The formula of a fitted model, and Divulge's label for each of R's coefficient names.
# response: what stands on the left where the model says it otherwise. drop: terms that are no columns.
translate_model <- function(fit, response = NULL, drop = NULL) {
  t <- terms(fit)
  if (!is.null(attr(t, "offset"))) stop("Divulge reads no offsets.", call. = FALSE)
  factors <- attr(t, "factors")
  listed <- attr(t, "term.labels")
  if (!is.null(drop)) listed <- listed[!grepl(drop, listed)]
  variables <- if (length(listed)) rownames(factors) else character()
  labels <- c("(Intercept)" = "Intercept")
  texts <- character()
  for (name in listed) {
    used <- variables[factors[, name] > 0]
    parts <- lapply(used, component, fit = fit, contrast_of = fit$contrasts)
    texts <- c(texts, paste(vapply(parts, function(p) p$text, ""), collapse = ":"))
    pieces <- lapply(parts, function(p) p$pieces)
    theirs <- do.call(expand.grid, c(lapply(pieces, names), stringsAsFactors = FALSE))
    ours <- do.call(expand.grid, c(lapply(pieces, unname), stringsAsFactors = FALSE))
    labels <- c(labels, stats::setNames(
      apply(ours, 1, paste, collapse = ":"), apply(theirs, 1, paste, collapse = ":")
    ))
  }
  if (attr(t, "intercept") == 0) texts <- c("0", texts)
  if (!length(texts)) texts <- "1"
  if (is.null(response)) response <- expression_text(attr(t, "variables")[[1 + attr(t, "response")]])
  list(formula = paste(response, "~", paste(texts, collapse = " + ")), labels = labels)
}

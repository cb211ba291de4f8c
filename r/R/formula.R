# R's formulas as Divulge writes them, and R's names of coefficients as Divulge's labels.

# Words that Divulge's formulas keep for themselves.
kept_words <- c("and", "as", "assert", "class", "def", "del", "elif", "except", "finally", "from", "global", "import", "in",
                "is", "lambda", "not", "or", "pass", "raise", "return", "try", "with", "yield", "while")

# The name of a column as formulas and conditions write it.
column_name <- function(name) {
  if (grepl("^[A-Za-z][A-Za-z0-9_]*$", name) && !name %in% kept_words) name else paste0("`", name, "`")
}

single_quoted <- function(text) paste0("'", gsub("'", "\\'", gsub("\\", "\\\\", text, fixed = TRUE), fixed = TRUE), "'")

stop_made <- function(what) {
  stop("`", what, "` is made within the formula; make it a column of the data and fit the model with that.", call. = FALSE)
}

# The text of an expression: `x^2` is `x**2`, `factor(x)` is `C(x)`, `bs(x, knots = c(2, 5))` is `bs(x, knots=[2, 5])`.
expression_text <- function(e) {
  if (is.symbol(e)) return(column_name(as.character(e)))
  if (is.character(e)) return(single_quoted(e))
  if (is.logical(e)) return(if (isTRUE(e)) "True" else "False")
  if (!is.call(e)) return(sub("L$", "", deparse(e)))
  name <- sub("^.*::", "", deparse(e[[1]])[1])
  if (name %in% c("$", "[[", "[")) {
    stop("the formula has `", deparse(e)[1], "`; write names of columns and give `data =`.", call. = FALSE)
  }
  parts <- vapply(as.list(e)[-1], expression_text, "")
  if (name %in% c("factor", "as.factor")) return(sprintf("C(%s)", parts[1]))
  if (name == "^") return(sprintf("%s**%s", parts[1], parts[2]))
  if (name == "(") return(sprintf("(%s)", parts[1]))
  if (name == "c") return(sprintf("[%s]", paste(parts, collapse = ", ")))
  if (name == "-" && length(parts) == 1) return(paste0("-", parts))
  if (name %in% c("+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">=") && length(parts) == 2) {
    return(sprintf("%s %s %s", parts[1], name, parts[2]))
  }
  if (!grepl("^[A-Za-z]", name)) stop_made(deparse(e)[1])
  said <- names(parts)
  if (!is.null(said)) {
    if (any(said == "Boundary.knots")) stop("Divulge reads splines without `Boundary.knots`.", call. = FALSE)
    said <- sub("^intercept$", "include_intercept", said)
    parts <- ifelse(said == "", parts, paste0(said, "=", parts))
  }
  sprintf("%s(%s)", name, paste(parts, collapse = ", "))
}

# The response: a comparison is the number 1 where it holds.
response_text <- function(e) {
  while (is.call(e) && identical(e[[1]], quote(`(`))) e <- e[[2]]
  text <- expression_text(e)
  if (is.call(e) && as.character(e[[1]])[1] %in% c("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "^")) {
    text <- sprintf("I(%s)", text)
  }
  text
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
  inside <- tryCatch(str2lang(variable), error = function(e) as.name(variable))
  class_of <- unname(attr(fit$terms, "dataClasses")[variable])
  if (is.null(levels)) {
    # A yes or no is a category of two, of which R names the second.
    if (isTRUE(class_of == "logical")) {
      if (!is.symbol(inside)) {
        text <- response_text(inside)
        return(list(text = text, pieces = stats::setNames(text, paste0(variable, "TRUE"))))
      }
      levels <- c("FALSE", "TRUE")
    } else {
      if (isTRUE(class_of == "other")) {
        stop("`", variable, "` is neither a number nor a category (a date, perhaps); make it one of them first.",
             call. = FALSE)
      }
      text <- expression_text(inside)
      plain <- if (is.symbol(inside)) as.character(inside) else text
      n <- if (isTRUE(grepl("^nmatrix", class_of))) as.integer(sub("nmatrix.", "", class_of, fixed = TRUE)) else 1L
      if (is.na(n) || n == 1L) return(list(text = text, pieces = stats::setNames(plain, variable)))
      first <- if (grepl("include_intercept=True", text)) 0L else 1L
      pieces <- sprintf("%s[%d]", plain, first + seq_len(n) - 1L)
      return(list(text = text, pieces = stats::setNames(pieces, paste0(variable, seq_len(n)))))
    }
  }
  contrast <- contrast_of[[variable]]
  if (!is.null(contrast) && !identical(contrast, "contr.treatment")) {
    known <- if (is.character(contrast)) contrast else "a matrix"
    hint <- if (identical(contrast, "contr.poly")) " Fit it with factor(x, ordered = FALSE)." else ""
    stop("the contrasts of ", variable, " are ", known, "; Divulge reads contr.treatment.", hint, call. = FALSE)
  }
  plain <- all.vars(inside)
  if (length(plain) != 1) stop("`", variable, "` is a category made of several variables.", call. = FALSE)
  check_levels(plain, levels, variable, fit)
  # The first level of the data is the reference that a formula means without a word.
  text <- if (identical(levels[1], first_level(plain, fit))) {
    sprintf("C(%s)", column_name(plain))
  } else {
    sprintf("C(%s, Treatment(%s))", column_name(plain), single_quoted(levels[1]))
  }
  # Levels of the data that no row of the model has: R drops them, and Divulge says that they are omitted.
  gone <- setdiff(levels_in(plain, fit), levels)
  pieces <- stats::setNames(sprintf("%s[T.%s]", text, c(levels, gone)), paste0(variable, c(levels, gone)))
  list(text = text, pieces = pieces, gone = paste0(variable, gone)[seq_along(gone)])
}

levels_in <- function(name, fit) {
  values <- unique(as.character(tryCatch(data_of(fit), error = function(e) NULL)[[name]]))
  values[!is.na(values) & values != ""]
}

# Levels must be values of the column itself: those of cut(x, 3) or factor(x, labels = ...) are not.
check_levels <- function(name, levels, variable, fit) {
  data <- tryCatch(data_of(fit), error = function(e) NULL)
  if (is.null(data) || is.null(data[[name]])) return(invisible())
  if (!all(levels %in% as.character(data[[name]]))) stop_made(variable)
  if (any(levels == "")) {
    stop("`", name, "` has an empty text among its values, which a file holds as missing; give it a name.", call. = FALSE)
  }
}

# The formula of a fitted model, and Divulge's label for each of R's coefficient names.
# response: what stands on the left where the model says it otherwise. drop: terms that are no columns.
# known: the names of R's coefficients. omitted: labels of columns that they leave out since no row has their level.
translate_model <- function(fit, response = NULL, drop = NULL, known = character()) {
  t <- terms(fit)
  has_offset <- !is.null(attr(t, "offset")) || (is.list(fit) && !is.null(fit$call$offset))
  if (has_offset) stop("Divulge reads no offsets.", call. = FALSE)
  factors <- attr(t, "factors")
  listed <- attr(t, "term.labels")
  if (!is.null(drop)) listed <- listed[!grepl(drop, listed)]
  variables <- if (length(listed)) rownames(factors) else character()
  labels <- c("(Intercept)" = "Intercept")
  texts <- omitted <- character()
  for (name in listed) {
    used <- variables[factors[, name] > 0]
    parts <- lapply(used, component, fit = fit, contrast_of = fit$contrasts)
    texts <- c(texts, paste(vapply(parts, function(p) p$text, ""), collapse = ":"))
    pieces <- lapply(parts, function(p) p$pieces)
    theirs <- do.call(expand.grid, c(lapply(pieces, names), stringsAsFactors = FALSE))
    ours <- do.call(expand.grid, c(lapply(pieces, unname), stringsAsFactors = FALSE))
    names_of <- apply(theirs, 1, paste, collapse = ":")
    found <- stats::setNames(apply(ours, 1, paste, collapse = ":"), names_of)
    is_gone <- mapply(function(column, part) column %in% part$gone, theirs, parts)
    is_gone <- matrix(is_gone, nrow = nrow(theirs))
    shown <- names_of %in% known
    # Of the other factors, only levels that have a column of this term.
    has_column <- mapply(function(column) column %in% column[shown], theirs)
    has_column <- matrix(has_column, nrow = nrow(theirs))
    omitted <- c(omitted, unname(found[rowSums(is_gone) > 0 & rowSums(is_gone | has_column) == ncol(theirs)]))
    labels <- c(labels, found)
  }
  named <- texts
  if (attr(t, "intercept") == 0) texts <- c("0", texts)
  if (!length(texts)) texts <- "1"
  if (is.null(response)) response <- response_text(attr(t, "variables")[[1 + attr(t, "response")]])
  list(formula = paste(response, "~", paste(texts, collapse = " + ")), labels = labels, terms = named, omitted = omitted)
}

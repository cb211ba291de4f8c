#' What R computed, as an output that Divulge assesses
as_output <- function(x, ...) UseMethod("as_output")

new_output <- function(spec, files = list(), data = NULL) {
  structure(list(spec = spec, files = files, data = data), class = "divulge_output")
}

as_output.divulge_output <- function(x, ...) x

as_output.default <- function(x, ...) {
  if (any(grepl("^summary[.]", class(x)))) stop("give the fitted model itself, not its summary.", call. = FALSE)
  stop(
    "Divulge does not know how to read an object of class ", paste(class(x), collapse = ", "), ".\n",
    "It reads lm, aov, glm, glm.nb, svyglm, lmer, rq, multinom, polr, ivreg, plm, zeroinfl, coxph, survreg, survfit, rpart,\n",
    "table, xtabs, ftable and data frames of figures.",
    call. = FALSE
  )
}

# A class of another package that builds on one of these may mean other estimates, or other errors of them.
stop_unless <- function(x, known) {
  odd <- setdiff(class(x), known)
  if (length(odd)) {
    stop("Divulge reads ", known[1], ", not what ", odd[1], " makes of it.", call. = FALSE)
  }
}

# The data that a model was fitted to: as given, else as its call names them.
data_of <- function(fit) {
  found <- fit$call$data
  if (is.null(found)) {
    stop("the model was fitted without `data =`; give the data frame to divulge_check().", call. = FALSE)
  }
  eval(found, environment(formula(fit)))
}

printed <- function(values, decimals) ifelse(is.finite(values), sprintf("%.*f", decimals, values), "")

# The column of weights that a call names, if any.
weights_of <- function(call, data = NULL) {
  if (is.null(call$weights)) return(NULL)
  is_column <- is.symbol(call$weights) && (is.null(data) || as.character(call$weights) %in% names(data))
  if (!is_column) stop("weights must be a column of the data.", call. = FALSE)
  as.character(call$weights)
}

# A regression: coefficients and standard errors as printed, and the number of rows.
model_output <- function(fit, kind, decimals, se_decimals, name, extra = list(), response = NULL) {
  b <- coef(fit)
  found <- translate_model(fit, response, known = names(b))
  missing <- setdiff(names(b), names(found$labels))
  if (length(missing)) stop("Divulge cannot read the coefficient ", missing[1], ".", call. = FALSE)
  se <- sqrt(diag(vcov(fit)))[names(b)]
  gone <- rep("omitted", length(found$omitted))
  rows <- data.frame(
    term = c(unname(found$labels[names(b)]), found$omitted, "n"),
    coef = c(ifelse(is.na(b), "omitted", printed(b, decimals)), gone, as.character(nobs(fit))),
    se = c(printed(se, se_decimals), rep("", length(gone)), ""),
    stringsAsFactors = FALSE
  )
  spec <- c(
    list(
      kind = kind, formula = found$formula, statistics = c("se", "n"),
      decimals = as.integer(c(rep(decimals, nrow(rows) - 1), 0L)), se_decimals = as.integer(se_decimals)
    ),
    extra
  )
  if (!is.null(name)) spec$name <- name
  data <- tryCatch(data_of(fit), error = function(e) NULL)
  new_output(with_rows_of(spec, fit$call, data, formula(fit)), list(released = rows), data)
}

# The spec with the weights and the condition of a call.
with_rows_of <- function(spec, call, data, formula) {
  if (is.null(spec$weights)) spec$weights <- weights_of(call, data)
  # R computes knots and centres of all rows before it selects some.
  of_rows <- "\\b(bs|ns|poly|scale)\\("
  if (!is.null(call$subset) && is.character(spec$formula) && grepl(of_rows, spec$formula)) {
    stop("the knots or centres of a term are those of all rows; select the rows first, and fit the model to these.",
         call. = FALSE)
  }
  if (!is.null(call$subset)) spec$where <- condition_text(call$subset, data, environment(formula))
  spec
}

# A condition of R as Divulge writes it. What names no column of the data is computed.
condition_text <- function(e, data = NULL, env = parent.frame()) {
  refuse <- function() {
    stop("Divulge cannot read the condition `", paste(deparse(e), collapse = " "), "`; select the rows first.",
         call. = FALSE)
  }
  again <- function(part) condition_text(part, data, env)
  is_column <- function(part) is.symbol(part) && (is.null(data) || as.character(part) %in% names(data))
  constants <- function(part) {
    if (!is.null(data) && any(all.vars(part) %in% names(data))) refuse()
    values <- tryCatch(eval(part, env), error = function(err) refuse())
    if (is.factor(values)) values <- as.character(values)
    if (!is.atomic(values) || !length(values) || anyNA(values) || is.object(values)) refuse()
    if (!is.character(values)) return(format(values, digits = 15, trim = TRUE))
    if (any(grepl("\"", values, fixed = TRUE) & grepl("'", values, fixed = TRUE))) refuse()
    ifelse(grepl("'", values, fixed = TRUE), paste0("\"", values, "\""), paste0("'", values, "'"))
  }
  if (is_column(e)) {
    if (!is.null(data) && !is.logical(data[[as.character(e)]])) refuse()
    return(paste(column_name(as.character(e)), "= TRUE"))
  }
  if (!is.call(e)) refuse()
  name <- as.character(e[[1]])[1]
  words <- c("==" = "=", "!=" = "!=", "<" = "<", ">" = ">", "<=" = "<=", ">=" = ">=")
  if (name == "(") return(sprintf("(%s)", again(e[[2]])))
  if (name == "!") return(sprintf("not (%s)", again(e[[2]])))
  if (name %in% c("&", "&&")) return(paste(again(e[[2]]), "and", again(e[[3]])))
  if (name %in% c("|", "||")) return(paste(again(e[[2]]), "or", again(e[[3]])))
  if (!name %in% c(names(words), "%in%", "is.na") || !is_column(e[[2]])) refuse()
  column <- column_name(as.character(e[[2]]))
  if (name == "is.na") return(paste(column, "is missing"))
  values <- constants(e[[3]])
  # R takes a missing value for one that is not among them.
  if (name == "%in%") return(sprintf("(%s is not missing and %s in (%s))", column, column, paste(values, collapse = ", ")))
  if (length(values) != 1) refuse()
  paste(column, words[[name]], values)
}

# What summary() prints of an analysis of variance: sums of squares of type 1.
as_output.aov <- function(x, decimals = 4, name = NULL, ...) {
  stop_unless(x, c("aov", "lm"))
  if (!is.null(x$call$weights)) stop("Divulge reads aov without weights.", call. = FALSE)
  found <- translate_model(x)
  table <- summary(x)[[1]]
  terms <- c(found$terms, "Residual")
  if (nrow(table) != length(terms)) stop("a term of the model has no degrees of freedom; leave it out.", call. = FALSE)
  shown <- c("df", "sum sq", "mean sq", "F", "p")
  values <- cbind(sprintf("%.0f", table[[1]]), vapply(as.list(table)[2:5], printed, character(nrow(table)), decimals))
  rows <- data.frame(
    label = paste(rep(shown, each = length(terms)), "|", rep(terms, length(shown))), value = as.vector(values),
    stringsAsFactors = FALSE
  )
  spec <- list(kind = "anova", formula = found$formula, type = 1L)
  if (!is.null(name)) spec$name <- name
  data <- tryCatch(data_of(x), error = function(e) NULL)
  new_output(with_rows_of(spec, x$call, data, formula(x)), list(released = rows[rows$value != "", ]), data)
}

as_output.mlm <- function(x, ...) stop("Divulge reads models with one response; give them one by one.", call. = FALSE)

as_output.lm <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  stop_unless(x, "lm")
  model_output(x, "linear", decimals, se_decimals, name)
}

as_output.glm <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  stop_unless(x, c("glm", "lm"))
  x <- glm_at_maximum(x)
  f <- family(x)
  kinds <- c(
    "gaussian identity" = "linear", "binomial logit" = "logistic", "poisson log" = "poisson",
    "binomial probit" = "probit", "binomial cloglog" = "cloglog", "Gamma log" = "gamma", "Gamma inverse" = "gamma",
    "Gamma identity" = "gamma", "inverse.gaussian log" = "inverse-gaussian",
    "inverse.gaussian 1/mu^2" = "inverse-gaussian", "inverse.gaussian inverse" = "inverse-gaussian",
    "inverse.gaussian identity" = "inverse-gaussian", "quasibinomial logit" = "logistic", "quasipoisson log" = "poisson"
  )
  kind <- unname(kinds[paste(f$family, f$link)])
  if (is.na(kind)) stop("Divulge does not know ", f$family, " models with the link ", f$link, ".", call. = FALSE)
  extra <- list()
  y <- model.frame(x)[[1]]
  is_binary <- kind %in% c("logistic", "probit", "cloglog")
  sides <- NULL
  if (is_binary && is.numeric(y) && !is.matrix(y) && any(y > 0 & y < 1)) {
    stop("the response is a share; write cbind(events, trials - events) instead.", call. = FALSE)
  }
  if (is_binary && (is.factor(y) || is.character(y))) {
    sides <- event_of(x, levels(factor(y)))
    extra$event <- sides$event
  }
  if (startsWith(f$family, "quasi")) extra$errors <- "quasi"
  if (kind %in% c("gamma", "inverse-gaussian") && f$link != "log") {
    extra$link <- if (f$link == "1/mu^2") "inverse-squared" else f$link
  }
  # R's standard errors are by the expected information.
  if (kind == "probit") extra$information <- "expected"
  if (is_binary && is.matrix(y)) {
    sides <- events_and_trials(attr(terms(x), "variables")[[2]])
    if (kind != "logistic") stop("Divulge reads trials of binomial models with the logit link.", call. = FALSE)
    return(model_output(x, "binomial", decimals, se_decimals, name, c(list(trials = sides$trials), extra), sides$events))
  }
  model_output(x, kind, decimals, se_decimals, name, extra, sides$response)
}

# What a factor of several levels asks: R counts every level but the first as the event.
event_of <- function(fit, levels) {
  e <- attr(terms(fit), "variables")[[1 + attr(terms(fit), "response")]]
  data <- tryCatch(data_of(fit), error = function(err) NULL)
  plain <- all.vars(e)
  if (length(plain) != 1) stop_made(deparse(e)[1])
  values <- as.character(data[[plain]])
  if (length(values) && !all(levels %in% values)) stop_made(deparse(e)[1])
  if (length(levels) == 2) return(list(event = levels[2], response = column_name(plain)))
  list(event = NULL, response = sprintf("I(%s != %s)", column_name(plain), single_quoted(levels[1])))
}

# What cbind(events, trials - events) names.
events_and_trials <- function(e) {
  others <- if (is.call(e) && length(e) == 3) e[[3]] else NULL
  is_difference <- is.call(others) && identical(others[[1]], quote(`-`)) && identical(others[[3]], e[[2]])
  if (!is_difference || !is.symbol(e[[2]]) || !is.symbol(others[[2]])) {
    stop("write the response as cbind(events, trials - events), with columns of the data.", call. = FALSE)
  }
  list(events = as.character(e[[2]]), trials = as.character(others[[2]]))
}

as_output.multinom <- function(x, decimals = 4, name = NULL, ...) {
  found <- translate_model(x)
  b <- coef(x)
  if (!is.matrix(b)) b <- matrix(b, 1, dimnames = list(x$lev[2], names(b)))
  b <- multinom_at_maximum(x, b)
  response <- all.vars(formula(x))[1]
  # Divulge compares with the first value of the data: the differences of R's coefficients say the same.
  base <- first_level(response, x)
  if (base %in% rownames(b)) {
    b <- rbind(matrix(0, 1, ncol(b), dimnames = list(x$lev[1], colnames(b))), b)
    b <- sweep(b, 2, b[base, ])[rownames(b) != base, , drop = FALSE]
  }
  grid <- expand.grid(term = colnames(b), class = rownames(b), stringsAsFactors = FALSE)
  rows <- data.frame(
    term = sprintf("%s=%s & %s", response, grid$class, found$labels[grid$term]),
    coef = printed(b[cbind(grid$class, grid$term)], decimals),
    stringsAsFactors = FALSE
  )
  spec <- list(kind = "multinomial", formula = found$formula, decimals = decimals)
  if (!is.null(name)) spec$name <- name
  data <- tryCatch(data_of(x), error = function(e) NULL)
  new_output(with_rows_of(spec, x$call, data, formula(x)), list(released = rows), data)
}

as_output.table <- function(x, name = NULL, base = NULL, ...) {
  variables <- names(dimnames(x))
  if (is.null(variables) || any(variables == "")) {
    stop("the table does not say which variables it is of; use table(a = ..., b = ...) or xtabs().", call. = FALSE)
  }
  cells <- as.data.frame(x, stringsAsFactors = FALSE)
  # Totals follow from the cells, where none of these is withheld.
  is_total <- Reduce(`|`, lapply(variables, function(v) cells[[v]] %in% "Sum"))
  if (any(is_total) && anyNA(cells$Freq)) stop("give the table without its totals, or with all its cells.", call. = FALSE)
  cells <- cells[!is_total, ]
  has_missing <- anyNA(cells[variables])
  cells[variables][is.na(cells[variables])] <- "missing"
  labels <- do.call(paste, c(lapply(variables, function(v) paste0(v, "=", cells[[v]])), sep = " & "))
  spec <- list(kind = "crosstab", variables = I(variables))
  if (has_missing) spec$missing <- "include"
  whole <- all(abs(cells$Freq - round(cells$Freq)) < 1e-9, na.rm = TRUE)
  if (!whole) {
    stop("the table holds no counts; give counts, or a data frame of figures with their kind.", call. = FALSE)
  }
  if (!is.null(base)) spec$base <- base
  if (!is.null(name)) spec$name <- name
  if (anyNA(cells$Freq)) spec$suppressed <- I(labels[is.na(cells$Freq)])
  given <- !is.na(cells$Freq)
  rows <- data.frame(label = labels[given], value = as.character(round(cells$Freq[given])), stringsAsFactors = FALSE)
  new_output(spec, list(released = rows))
}

as_output.xtabs <- function(x, ...) {
  made <- as_output.table(structure(x, class = "table"), ...)
  call <- attr(x, "call")
  if (!is.null(call$data)) {
    made$data <- tryCatch(eval(call$data, environment(stats::as.formula(call$formula))), error = function(e) NULL)
  }
  if (!is.null(call$subset)) {
    made$spec$where <- condition_text(call$subset, made$data, environment(stats::as.formula(call$formula)))
  }
  if (length(stats::as.formula(call$formula)) == 3) {
    stop("xtabs with a left-hand side adds a variable up; Divulge reads xtabs of counts.", call. = FALSE)
  }
  made
}

as_output.ftable <- function(x, ...) as_output.table(as.table(x), ...)

as_output.survfit <- function(x, times = NULL, decimals = 3, name = NULL, ...) {
  if (inherits(x, "survfitms")) stop("Divulge reads curves of one event, not of several states.", call. = FALSE)
  if (is.null(times)) stop("say at which times the curve is shown, as in times = c(180, 365).", call. = FALSE)
  data <- tryCatch(data_of(x), error = function(e) NULL)
  sides <- survival_sides(formula(x)[[2]], data)
  if (!is.null(sides$entry)) stop("Divulge reads curves of Surv(time, event), without late entry.", call. = FALSE)
  by <- all.vars(formula(x)[[3]])
  s <- summary(x, times = times, extend = TRUE)
  spec <- list(
    kind = "survival", time = sides$time, event = sides$event, times = I(times), show = I("survival"), decimals = decimals
  )
  spec$observed <- sides$observed
  if (length(by)) spec$by <- I(by)
  if (!is.null(name)) spec$name <- name
  rows <- data.frame(
    label = curve_labels("survival", sides$time, s), value = printed(s$surv, decimals), stringsAsFactors = FALSE
  )
  new_output(with_rows_of(spec, x$call, data, formula(x)), list(released = rows), data)
}

as_output.anova <- function(x, ...) stop("give the model itself, as in aov(y ~ x, data), not its table.", call. = FALSE)

as_output.data.frame <- function(x, kind, variables, by = character(), statistic = NULL, decimals = 2, name = NULL,
                                 ...) {
  if (missing(kind) || missing(variables)) {
    stop(
      "say what the figures of the data frame are, as in\n",
      "as_output(frame, kind = \"means\", variables = \"age\", by = \"town\").",
      call. = FALSE
    )
  }
  lost <- setdiff(c(variables, by), names(x))
  if (length(lost)) stop("the data frame has no column ", lost[1], ".", call. = FALSE)
  broad <- Filter(function(v) is.matrix(x[[v]]), variables)
  if (length(broad)) {
    stop("the column ", broad[1], " holds several figures a row; give a data frame with one figure a column.", call. = FALSE)
  }
  groups <- if (length(by)) {
    do.call(paste, c(lapply(by, function(v) paste0(v, "=", x[[v]])), sep = " & "))
  } else {
    rep("", nrow(x))
  }
  rows <- do.call(rbind, lapply(variables, function(v) {
    data.frame(
      label = if (length(by)) paste(v, "|", groups) else v, value = printed(x[[v]], decimals),
      stringsAsFactors = FALSE
    )
  }))
  spec <- list(kind = kind, variables = I(variables), decimals = decimals)
  if (length(by)) spec$by <- I(by)
  if (!is.null(statistic)) spec$show <- I(statistic)
  if (!is.null(name)) spec$name <- name
  new_output(spec, list(released = rows))
}

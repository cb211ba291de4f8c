#' What R computed, as an output that Divulge assesses
as_output <- function(x, ...) UseMethod("as_output")

new_output <- function(spec, files = list(), data = NULL) {
  structure(list(spec = spec, files = files, data = data), class = "divulge_output")
}

as_output.divulge_output <- function(x, ...) x

as_output.default <- function(x, ...) {
  stop(
    "Divulge does not know how to read an object of class ", paste(class(x), collapse = ", "), ".\n",
    "It reads lm, glm, glm.nb, svyglm, lmer, rq, multinom, polr, coxph, survreg, survfit, rpart, table, xtabs, ftable and data frames of figures.",
    call. = FALSE
  )
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
weights_of <- function(call) {
  if (is.null(call$weights)) return(NULL)
  if (!is.symbol(call$weights)) stop("weights must be a column of the data.", call. = FALSE)
  as.character(call$weights)
}

# A regression: coefficients and standard errors as printed, and the number of rows.
model_output <- function(fit, kind, decimals, se_decimals, name, extra = list(), response = NULL) {
  found <- translate_model(fit, response)
  b <- coef(fit)
  missing <- setdiff(names(b), names(found$labels))
  if (length(missing)) stop("Divulge cannot read the coefficient ", missing[1], ".", call. = FALSE)
  se <- sqrt(diag(vcov(fit)))[names(b)]
  rows <- data.frame(
    term = c(unname(found$labels[names(b)]), "n"),
    coef = c(printed(b, decimals), as.character(nobs(fit))),
    se = c(printed(se, se_decimals), ""),
    stringsAsFactors = FALSE
  )
  rows <- rows[rows$coef != "", ]
  spec <- c(
    list(
      kind = kind, formula = found$formula, statistics = c("se", "n"),
      decimals = as.integer(c(rep(decimals, nrow(rows) - 1), 0L)), se_decimals = as.integer(se_decimals)
    ),
    extra
  )
  if (!is.null(name)) spec$name <- name
  spec$weights <- weights_of(fit$call)
  where <- fit$call$subset
  if (!is.null(where)) spec$where <- condition_text(where)
  new_output(spec, list(released = rows), tryCatch(data_of(fit), error = function(e) NULL))
}

# A condition of R as Divulge writes it.
condition_text <- function(e) {
  if (is.symbol(e) || !is.call(e)) return(gsub('"', "'", paste(deparse(e), collapse = " "), fixed = TRUE))
  name <- as.character(e[[1]])
  parts <- vapply(as.list(e)[-1], condition_text, "")
  words <- c("&" = "and", "&&" = "and", "|" = "or", "||" = "or", "==" = "=", "!=" = "!=", "<" = "<", ">" = ">",
             "<=" = "<=", ">=" = ">=")
  if (name == "(") return(sprintf("(%s)", parts[1]))
  if (name == "!") return(sprintf("not (%s)", parts[1]))
  if (!name %in% names(words) || length(parts) != 2) {
    stop("Divulge cannot read the condition `", deparse(e), "`; select the rows first.", call. = FALSE)
  }
  sprintf("%s %s %s", parts[1], words[[name]], parts[2])
}

as_output.lm <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  model_output(x, "linear", decimals, se_decimals, name)
}

as_output.glm <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
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
  if (is_binary && (is.factor(y) || is.character(y))) extra$event <- levels(factor(y))[2]
  if (startsWith(f$family, "quasi")) extra$errors <- "quasi"
  if (kind %in% c("gamma", "inverse-gaussian") && f$link != "log") {
    extra$link <- if (f$link == "1/mu^2") "inverse-squared" else f$link
  }
  # R's standard errors are by the expected information.
  if (kind == "probit") extra$information <- "expected"
  if (is_binary && is.matrix(y)) {
    sides <- events_and_trials(attr(terms(x), "variables")[[2]])
    if (kind != "logistic" || length(extra)) stop("Divulge reads trials of binomial models with the logit link.", call. = FALSE)
    return(model_output(x, "binomial", decimals, se_decimals, name, list(trials = sides$trials), sides$events))
  }
  model_output(x, kind, decimals, se_decimals, name, extra)
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

# multinom stops where the deviance hardly changes any more: its fourth decimal is often not that of the maximum.
as_output.multinom <- function(x, decimals = 3, name = NULL, ...) {
  found <- translate_model(x)
  b <- coef(x)
  if (!is.matrix(b)) b <- matrix(b, 1, dimnames = list(x$lev[2], names(b)))
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
  spec$weights <- weights_of(x$call)
  if (!is.null(name)) spec$name <- name
  new_output(spec, list(released = rows), tryCatch(data_of(x), error = function(e) NULL))
}

as_output.table <- function(x, name = NULL, base = NULL, ...) {
  variables <- names(dimnames(x))
  if (is.null(variables) || any(variables == "")) {
    stop("the table does not say which variables it is of; use table(a = ..., b = ...) or xtabs().", call. = FALSE)
  }
  cells <- as.data.frame(x, stringsAsFactors = FALSE)
  labels <- do.call(paste, c(lapply(variables, function(v) paste0(v, "=", cells[[v]])), sep = " & "))
  spec <- list(kind = "crosstab", variables = I(variables))
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
  if (length(stats::as.formula(call$formula)) == 3) {
    stop("xtabs with a left-hand side adds a variable up; Divulge reads xtabs of counts.", call. = FALSE)
  }
  made
}

as_output.ftable <- function(x, ...) as_output.table(as.table(x), ...)

as_output.survfit <- function(x, times = NULL, decimals = 3, name = NULL, ...) {
  if (is.null(times)) stop("say at which times the curve is shown, as in times = c(180, 365).", call. = FALSE)
  sides <- all.vars(formula(x)[[2]])
  if (length(sides) != 2) stop("a survival curve needs Surv(time, event).", call. = FALSE)
  by <- all.vars(formula(x)[[3]])
  s <- summary(x, times = times, extend = TRUE)
  spec <- list(
    kind = "survival", time = sides[1], event = sides[2], times = I(times), show = I("survival"), decimals = decimals
  )
  if (length(by)) spec$by <- I(by)
  if (!is.null(name)) spec$name <- name
  rows <- data.frame(
    label = curve_labels("survival", sides[1], s), value = printed(s$surv, decimals), stringsAsFactors = FALSE
  )
  new_output(spec, list(released = rows), tryCatch(data_of(x), error = function(e) NULL))
}

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

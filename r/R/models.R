# Models beyond lm and glm: survival times, ordered responses, counts, survey designs.

# What Surv(time, event) names: the variable of time, that of the event, the value that says it was seen, the entry.
survival_sides <- function(e, data) {
  if (!is.call(e) || !identical(as.character(e[[1]])[1], "Surv") || length(e) < 3 || length(e) > 4) {
    stop("a response Surv(time, event) is needed.", call. = FALSE)
  }
  parts <- as.list(e)[-1]
  if (!is.null(names(parts)) && any(names(parts) %in% c("type", "origin"))) {
    stop("Divulge reads Surv(time, event) and Surv(start, stop, event).", call. = FALSE)
  }
  times <- parts[-length(parts)]
  for (part in times) if (!is.symbol(part)) stop_made(deparse(part)[1])
  sides <- list(time = as.character(times[[length(times)]]))
  if (length(parts) == 3) sides$entry <- as.character(times[[1]])
  event <- parts[[length(parts)]]
  sides$event <- all.vars(event)
  if (length(sides$event) != 1) stop_made(deparse(event)[1])
  if (is.null(data)) {
    # Without the data it is as it is written: a column of two values, or one of its values.
    is_value <- is.call(event) && identical(event[[1]], quote(`==`)) && is.symbol(event[[2]])
    if (is_value) sides$observed <- as.character(event[[3]]) else if (!is.symbol(event)) stop_made(deparse(event)[1])
    return(sides)
  }
  if (is.null(data[[sides$event]])) stop_made(deparse(event)[1])
  # As Surv itself does: TRUE, or the larger of two numbers.
  told <- eval(event, data)
  if (is.factor(told)) stop("Divulge reads events of one kind; write Surv(time, event == \"dead\").", call. = FALSE)
  seen <- if (is.logical(told)) told else told == max(told, na.rm = TRUE) & told > 0
  observed <- unique(as.character(data[[sides$event]][!is.na(seen) & seen]))
  if (length(observed) != 1) stop_made(deparse(event)[1])
  sides$observed <- observed
  sides
}

# Rows of figures, and the spec of a model.
# decimals: of every figure, or of each.
figures_output <- function(fit, kind, labels, b, se, n, decimals, se_decimals, name, extra, found, data) {
  gone <- length(found$omitted)
  decimals <- c(rep_len(decimals, length(b)), rep_len(decimals[1], gone))
  b <- c(b, rep(NA, gone))
  rows <- data.frame(
    term = c(labels, found$omitted, "n"), coef = c(ifelse(is.na(b), "omitted", printed(b, decimals)), as.character(n)),
    se = c(ifelse(is.na(se), "", printed(se, se_decimals)), rep("", gone + 1)), stringsAsFactors = FALSE
  )
  spec <- c(
    list(
      kind = kind, formula = found$formula, statistics = c("se", "n"),
      decimals = as.integer(c(decimals, 0L)), se_decimals = as.integer(se_decimals)
    ),
    extra
  )
  if (!is.null(name)) spec$name <- name
  asked <- tryCatch(stats::formula(fit), error = function(e) NULL)
  new_output(with_rows_of(spec, fit$call, data, asked), list(released = rows), data)
}

as_output.coxph <- function(x, decimals = 4, se_decimals = decimals, name = NULL, times = NULL, ...) {
  if (any(class(x) != "coxph") || !is.null(attr(terms(x), "specials")$tt)) {
    stop("Divulge reads Cox models without frailties, penalties, tt(), several states, matched sets or a survey design.",
         call. = FALSE)
  }
  if (!x$method %in% c("efron", "breslow")) stop("Divulge reads ties by efron or breslow.", call. = FALSE)
  data <- data_of(x)
  t <- terms(x)
  sides <- survival_sides(attr(t, "variables")[[1 + attr(t, "response")]], data)
  special <- attr(t, "specials")$strata
  strata <- if (is.null(special)) character() else all.vars(as.list(attr(t, "variables"))[[1 + special]])
  if (any(grepl("strata\\(", setdiff(attr(t, "term.labels"), rownames(attr(t, "factors")))))) {
    stop("Divulge reads strata() as a term of its own, not in an interaction.", call. = FALSE)
  }
  found <- translate_model(x, column_name(sides$time), known = names(coef(x)), drop = "^strata\\(")
  extra <- list(event = sides$event, observed = sides$observed, ties = x$method)
  if (length(strata)) extra$strata <- I(strata)
  if (!is.null(sides$entry)) extra$entry <- sides$entry
  if (!is.null(x$naive.var)) {
    cluster <- x$call$cluster
    extra$errors <- if (is.null(cluster)) "HC0" else "cluster-plain"
    if (!is.null(cluster)) {
      if (!is.symbol(cluster)) stop("clusters must be a column of the data: cluster = town.", call. = FALSE)
      extra$cluster <- as.character(cluster)
    }
  }
  b <- coef(x)
  labels <- unname(found$labels[names(b)])
  se <- sqrt(diag(as.matrix(vcov(x))))
  if (!is.null(times)) {
    # The curve of survfit(x): at the means of numbers, with columns of 0 and 1 at zero.
    if (!requireNamespace("survival", quietly = TRUE)) stop("the package survival is needed for times.", call. = FALSE)
    curve <- summary(survival::survfit(x), times = times, extend = TRUE)
    extra <- c(extra, list(times = I(times), baseline = "survival", at = "numbers"))
    b <- c(b, curve$surv)
    labels <- c(labels, curve_labels("baseline survival", sides$time, curve))
    se <- c(se, rep(NA_real_, length(curve$surv)))
  }
  figures_output(x, "cox", labels, b, se, x$n, decimals, se_decimals, name, extra, found, data)
}

# A curve that a Cox model predicts is a figure of that model.
as_output.survfitcox <- function(x, ...) {
  stop("give the Cox model itself, and the times: as_output(fit, times = c(180, 365)).", call. = FALSE)
}

# `survival time=180 | sex=1`, for each figure of a summary of survfit.
curve_labels <- function(what, time, summary) {
  strata <- if (is.null(summary$strata)) "" else paste0(" | ", gsub(", ", " & ", trimws(as.character(summary$strata))))
  sprintf("%s %s=%s%s", what, time, trimws(format(summary$time, trim = TRUE, drop0trailing = TRUE)), strata)
}

as_output.survreg <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  stop_unless(x, "survreg")
  if (!x$dist %in% c("weibull", "exponential")) {
    stop("Divulge reads survreg with the distributions weibull and exponential.", call. = FALSE)
  }
  if (length(x$scale) > 1) stop("Divulge reads survreg with one scale, without strata.", call. = FALSE)
  data <- data_of(x)
  t <- terms(x)
  sides <- survival_sides(attr(t, "variables")[[1 + attr(t, "response")]], data)
  found <- translate_model(x, column_name(sides$time), known = names(coef(x)))
  b <- coef(x)
  labels <- unname(found$labels[names(b)])
  se <- sqrt(diag(vcov(x)))
  if (x$dist == "weibull") {
    b <- c(b, log(x$scale))
    labels <- c(labels, "log(scale)")
  }
  extra <- list(event = sides$event, observed = sides$observed, distribution = x$dist)
  figures_output(
    x, "weibull", labels, b, unname(se[seq_along(b)]), nrow(x$y), decimals, se_decimals, name, extra, found, data
  )
}

as_output.polr <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  stop_unless(x, "polr")
  kind <- unname(c(logistic = "ordered-logit", probit = "ordered-probit")[x$method])
  if (is.na(kind)) stop("Divulge reads polr with the methods logistic and probit.", call. = FALSE)
  found <- translate_model(x, known = names(coef(x)))
  at <- polr_at_maximum(x)
  labels <- c(unname(found$labels[names(coef(x))]), paste0("cut", seq_along(x$zeta)))
  figures_output(
    x, kind, labels, at$estimate, at$se, nrow(x$fitted.values), decimals, se_decimals, name, list(order = I(x$lev)), found,
    tryCatch(data_of(x), error = function(e) NULL)
  )
}

as_output.negbin <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  found <- translate_model(x, known = names(coef(x)))
  b <- coef(x)
  labels <- c(unname(found$labels[names(b)]), "alpha")
  # alpha is 1 / theta; R prints theta.
  figures_output(
    x, "negative-binomial", labels, c(b, 1 / x$theta), c(sqrt(diag(vcov(x))), NA), nobs(x), decimals, se_decimals, name,
    list(information = "expected"), found, tryCatch(data_of(x), error = function(e) NULL)
  )
}

as_output.svyglm <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  f <- family(x)
  kinds <- c(
    "gaussian identity" = "linear", "binomial logit" = "logistic", "quasibinomial logit" = "logistic",
    "poisson log" = "poisson", "quasipoisson log" = "poisson"
  )
  kind <- unname(kinds[paste(f$family, f$link)])
  if (is.na(kind)) stop("Divulge does not know survey models of ", f$family, " with the link ", f$link, ".", call. = FALSE)
  design <- x$survey.design
  call <- design$call
  if (!identical(sub("^.*::", "", deparse(call[[1]])[1]), "svydesign")) {
    stop("Divulge reads the design that svydesign() makes, not a part of one or one that was changed.", call. = FALSE)
  }
  if (!is.null(call$fpc)) stop("Divulge reads survey designs without finite population corrections.", call. = FALSE)
  weights <- all.vars(call$weights)
  clusters <- all.vars(if (is.null(call$ids)) call$id else call$ids)
  strata <- all.vars(call$strata)
  if (length(weights) != 1 || length(clusters) > 1 || length(strata) > 1) {
    stop("Divulge reads survey designs with one variable of weights and at most one of clusters and of strata.",
         call. = FALSE)
  }
  found <- translate_model(x, known = names(coef(x)))
  b <- coef(x)
  extra <- list(weights = weights, errors = if (length(clusters)) "cluster-ml" else "robust-ml")
  if (length(clusters)) extra$cluster <- clusters
  if (length(strata)) {
    extra$errors <- "survey"
    extra$design_strata <- strata
  }
  y <- model.frame(x)[[1]]
  if (kind == "logistic" && (is.factor(y) || is.character(y))) extra$event <- levels(factor(y))[2]
  figures_output(
    x, kind, unname(found$labels[names(b)]), b, sqrt(diag(vcov(x))), nobs(x), decimals, se_decimals, name, extra,
    found, design$variables
  )
}

# Quantile regression of one quantile. How its standard errors were computed is not part of the object: `density` says
# it, as summary.rq does by its argument `se`; "" publishes none.
as_output.rq <- function(x, decimals = 4, se_decimals = decimals, name = NULL, density = "nid", ...) {
  if (!is.null(x$call$weights)) stop("Divulge reads rq without weights.", call. = FALSE)
  if (!density %in% c("", "iid", "nid", "ker")) stop("density is one of iid, nid, ker, or empty.", call. = FALSE)
  found <- translate_model(x, known = names(coef(x)))
  b <- coef(x)
  se <- rep(NA_real_, length(b))
  if (nzchar(density) && requireNamespace("quantreg", quietly = TRUE)) {
    se <- summary(x, se = density, covariance = TRUE)$coefficients[, 2]
  }
  extra <- list(quantile = x$tau)
  if (nzchar(density)) extra$density <- density
  figures_output(
    x, "quantile-regression", unname(found$labels[names(b)]), b, unname(se), length(x$y), decimals, se_decimals, name,
    extra, found, tryCatch(data_of(x), error = function(e) NULL)
  )
}

# Read from the slots of the object, so that lme4 itself is not needed.
as_output.lmerMod <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  levelled <- unname(unlist(x@cnms))
  has_slope <- length(levelled) == 2
  if (length(unique(names(x@cnms))) != 1 || length(levelled) > 2 || levelled[1] != "(Intercept)") {
    stop("Divulge reads lmer with a random intercept, as in (1 | town), and one slope, as in (age | town).", call. = FALSE)
  }
  group <- names(x@cnms)[1]
  t <- terms(x, fixed.only = TRUE)
  frame <- model.frame(x)
  design <- x@pp$X
  found <- translate_model(
    list(terms = t, xlevels = stats::.getXlevels(t, frame), contrasts = attr(design, "contrasts")), known = colnames(design)
  )
  residual <- stats::sigma(x)^2
  fixed <- unname(found$labels[colnames(design)])
  variances <- x@theta^2 * residual
  named <- paste("variance of", group)
  is_correlated <- has_slope && length(x@cnms) == 1
  if (has_slope) {
    slope <- unname(found$labels[levelled[2]])
    named <- c(named, sprintf("variance of %s by %s", slope, group))
    if (is_correlated) {
      # The relative root of the covariance of intercepts and slopes, column by column.
      spread <- tcrossprod(matrix(c(x@theta[1:2], 0, x@theta[3]), 2)) * residual
      variances <- c(spread[1, 1], spread[2, 2], spread[1, 2])
      named <- c(named, sprintf("covariance of %s and %s", group, slope))
    }
  }
  b <- c(x@beta, variances, residual)
  force(se_decimals)
  # lmer stops where the likelihood is flat: of variances hardly more than four digits are those of the maximum.
  digits <- pmax(0, pmin(decimals, 3 - floor(log10(abs(c(variances, residual))))))
  decimals <- c(rep(decimals, length(x@beta)), ifelse(is.finite(digits), digits, decimals))
  labels <- c(fixed, named, "residual variance")
  se <- c(sqrt(diag(as.matrix(vcov(x)))), rep(NA, length(variances) + 1))
  is_restricted <- x@devcomp$dims[["REML"]] > 0
  extra <- list(group = group, likelihood = if (is_restricted) "reml" else "ml")
  if (has_slope) extra <- c(extra, list(slope = slope, correlated = is_correlated))
  data <- tryCatch(eval(x@call$data, environment(formula(x))), error = function(e) NULL)
  figures_output(
    list(call = x@call), if (has_slope) "random-slope" else "random-intercept", labels, b, unname(se), nobs(x), decimals, se_decimals, name, extra,
    found, data
  )
}

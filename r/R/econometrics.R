# Instruments, fixed effects and too many zeros: ivreg (AER, ivreg), plm, zeroinfl (pscl).

# A part of a model that has several formulas, as if it were a model.
part_of <- function(fit, terms, frame, contrasts) {
  attr(terms, "dataClasses") <- vapply(frame, stats::.MFclass, "")
  list(terms = terms, xlevels = stats::.getXlevels(terms, frame), contrasts = contrasts, call = fit$call)
}

refuse_weights <- function(fit, what) {
  if (!is.null(fit$call$weights)) stop("Divulge reads ", what, " without weights.", call. = FALSE)
  if (!is.null(fit$call$offset)) stop("Divulge reads no offsets.", call. = FALSE)
}

as_output.ivreg <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  refuse_weights(x, "ivreg")
  if (is.null(x$terms$instruments)) stop("the model has no instruments; fit it with lm.", call. = FALSE)
  if (!is.null(x$method) && x$method != "OLS") stop("Divulge reads ivreg with method = \"OLS\".", call. = FALSE)
  part <- function(which) part_of(x, x$terms[[which]], x$model, x$contrasts[[which]])
  b <- coef(x)
  found <- translate_model(part("regressors"), known = names(b))
  exogenous <- translate_model(part("instruments"), "1")$formula
  extra <- list(instruments = sub("^.*?~ ", "", exogenous), scale = "n-k")
  figures_output(
    part("regressors"), "two-stage", unname(found$labels[names(b)]), b, sqrt(diag(vcov(x))), x$nobs, decimals, se_decimals,
    name, extra, found, tryCatch(data_of(part("regressors")), error = function(e) NULL)
  )
}

as_output.plm <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  refuse_weights(x, "plm")
  if (x$args$model != "within" || x$args$effect != "individual") {
    stop("Divulge reads plm with model = \"within\" and effect = \"individual\".", call. = FALSE)
  }
  frame <- as.data.frame(x$model)
  frame[] <- lapply(frame, function(column) if (is.factor(column)) factor(column) else as.vector(column))
  t <- terms(stats::as.formula(x$call$formula, environment(formula(x))))
  part <- part_of(x, t, frame, x$contrasts)
  b <- coef(x)
  found <- translate_model(part, known = names(b))
  lost <- setdiff(names(b), names(found$labels))
  if (length(lost)) stop("Divulge cannot read the coefficient ", lost[1], ".", call. = FALSE)
  # The effects are in nobody's output, and what does not vary within a group has none.
  absorbed <- names(attr(x$model, "index"))[1]
  figures_output(
    part, "fixed-effects", unname(found$labels[names(b)]), b, sqrt(diag(vcov(x))), nrow(frame), decimals, se_decimals,
    name, list(absorb = absorbed), found, tryCatch(data_of(part), error = function(e) NULL)
  )
}

as_output.zeroinfl <- function(x, decimals = 4, se_decimals = decimals, name = NULL, ...) {
  refuse_weights(x, "zeroinfl")
  counts <- unname(c(poisson = "poisson", negbin = "negative-binomial")[x$dist])
  if (is.na(counts) || x$link != "logit" || length(x$coefficients$zero) != 1) {
    stop("Divulge reads zeroinfl with dist poisson or negbin and one share of zeros: y ~ x | 1.", call. = FALSE)
  }
  part <- part_of(x, x$terms$count, x$model, x$contrasts$count)
  b <- x$coefficients$count
  found <- translate_model(part, known = names(b))
  se <- unname(sqrt(diag(vcov(x))))
  values <- c(b, x$coefficients$zero)
  labels <- c(unname(found$labels[names(b)]), "inflate")
  if (counts != "poisson") {
    values <- c(values, 1 / x$theta)
    labels <- c(labels, "alpha")
    se <- c(se, x$SE.logtheta / x$theta)  # of 1/theta: d e^-l = e^-l dl
  }
  at <- zeroinfl_at_maximum(x, unname(values), se)
  figures_output(
    part, "zero-inflated", labels, at$estimate, at$se, x$n, decimals, se_decimals, name, list(counts = counts), found,
    tryCatch(data_of(part), error = function(e) NULL)
  )
}

# Estimates at the maximum of the likelihood. R stops where the deviance hardly changes any more: the fourth decimal of a
# coefficient is then often another one, and standard errors of glm are those of the step before the last.

# The fit with its last steps made. What is separated has no maximum, and stays as it is.
glm_at_maximum <- function(x) {
  if (is.null(x$y) || !isTRUE(x$converged) || isTRUE(x$boundary) || anyNA(coef(x))) return(x)
  again <- tryCatch(suppressWarnings(stats::glm.fit(
    stats::model.matrix(x), x$y, weights = x$prior.weights, start = coef(x), offset = x$offset, family = x$family,
    control = stats::glm.control(epsilon = 1e-14, maxit = 50), intercept = attr(terms(x), "intercept") > 0
  )), error = function(e) NULL)
  if (is.null(again) || !is_near(again$coefficients, coef(x), sqrt(diag(vcov(x))), 1e-3)) return(x)
  x[names(again)] <- again
  x
}

# A search that ended is within a small part of a standard error of the maximum.
is_near <- function(found, start, se, share) {
  all(is.finite(found)) && all(is.finite(se)) && all(abs(found - start) <= share * se)
}

# Newton's steps from an estimate to where the gradient is 0: the place, and the covariance there. NULL: it is not near.
newton_maximum <- function(start, gradient) {
  b <- start
  curved <- function(b) {
    width <- 1e-5 * pmax(abs(b), 1e-3)
    slopes <- vapply(seq_along(b), function(j) {
      h <- width * (seq_along(b) == j)
      (gradient(b + h) - gradient(b - h)) / (2 * width[j])
    }, numeric(length(b)))
    -(slopes + t(slopes)) / 2
  }
  found <- tryCatch({
    for (step in 1:10) b <- b + solve(curved(b), gradient(b), tol = 0)
    solve(curved(b), tol = 0)
  }, error = function(e) NULL)
  if (is.null(found) || any(diag(found) <= 0) || !is_near(b, start, sqrt(diag(found)), 1e-2)) return(NULL)
  list(estimate = b, covariance = found)
}

# Coefficients of multinom as a matrix with a row for every class but the first.
multinom_at_maximum <- function(x, b) {
  frame <- tryCatch(model.frame(x), error = function(e) NULL)
  y <- stats::model.response(frame)
  if (is.null(frame) || !is.factor(y)) return(b)
  design <- stats::model.matrix(terms(x), frame, contrasts.arg = x$contrasts)
  w <- if (is.null(x$weights)) rep(1, nrow(design)) else as.vector(x$weights)
  seen <- outer(as.character(y), rownames(b), "==")
  gradient <- function(flat) {
    odds <- exp(design %*% t(matrix(flat, nrow(b))))
    as.vector(t(seen - odds / (1 + rowSums(odds))) %*% (w * design))
  }
  found <- newton_maximum(as.vector(b), gradient)
  if (!is.null(found)) b[] <- found$estimate
  b
}

# Coefficients and thresholds of polr, with their standard errors.
polr_at_maximum <- function(x) {
  b <- c(coef(x), x$zeta)
  se <- if (is.null(x$Hessian)) rep(NA_real_, length(b)) else sqrt(diag(vcov(x)))
  plain <- list(estimate = b, se = se)
  frame <- x$model
  if (is.null(frame)) return(plain)
  design <- stats::model.matrix(x$terms, frame, contrasts.arg = x$contrasts)[, names(coef(x)), drop = FALSE]
  w <- stats::model.weights(frame)
  if (is.null(w)) w <- rep(1, nrow(design))
  level <- as.integer(stats::model.response(frame))
  k <- length(x$zeta)
  of <- if (x$method == "probit") list(stats::pnorm, stats::dnorm) else list(stats::plogis, stats::dlogis)
  gradient <- function(flat) {
    eta <- as.vector(design %*% flat[seq_len(ncol(design))])
    cuts <- c(-Inf, flat[ncol(design) + seq_len(k)], Inf)
    upper <- cuts[level + 1] - eta
    lower <- cuts[level] - eta
    each <- w / (of[[1]](upper) - of[[1]](lower))
    up <- each * of[[2]](upper)
    low <- each * of[[2]](lower)
    of_cuts <- vapply(seq_len(k), function(j) sum(up[level == j]) - sum(low[level == j + 1]), 0)
    c(-as.vector(crossprod(design, up - low)), of_cuts)
  }
  found <- newton_maximum(b, gradient)
  if (is.null(found)) return(plain)
  if (!is.null(x$Hessian)) se <- stats::setNames(sqrt(diag(found$covariance)), names(b))
  list(estimate = stats::setNames(found$estimate, names(b)), se = se)
}

# Coefficients of counts, log odds of a zero and, for negbin, alpha, with their standard errors.
zeroinfl_at_maximum <- function(x, b, se) {
  design <- tryCatch(stats::model.matrix(x, model = "count"), error = function(e) NULL)
  y <- x$y
  if (is.null(design) || is.null(y)) return(list(estimate = b, se = se))
  k <- ncol(design)
  gradient <- function(flat) {
    mu <- as.vector(exp(design %*% flat[seq_len(k)]))
    share <- stats::plogis(flat[k + 1])
    alpha <- if (length(flat) > k + 1) flat[k + 2] else 0
    slope <- mu / (1 + alpha * mu)
    rest <- if (alpha > 0) log1p(alpha * mu) / alpha else mu
    none <- exp(-rest)
    other <- (1 - share) * none / (share + (1 - share) * none)
    of_rate <- ifelse(y == 0, -other * slope, (y - mu) / (1 + alpha * mu))
    of_odds <- ifelse(y == 0, share * (1 - none) * other / none, -share)
    if (alpha == 0) return(c(crossprod(design, of_rate), sum(of_odds)))
    counted <- (rest - (digamma(y + 1 / alpha) - digamma(1 / alpha)) / alpha + (y - mu) / (1 + alpha * mu)) / alpha
    of_alpha <- ifelse(y == 0, other * (rest - slope) / alpha, counted)
    c(crossprod(design, of_rate), sum(of_odds), sum(of_alpha))
  }
  found <- newton_maximum(unname(b), gradient)
  if (is.null(found)) list(estimate = b, se = se) else list(estimate = found$estimate, se = sqrt(diag(found$covariance)))
}

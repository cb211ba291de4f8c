# Reference values of models, printed as Python: Rscript tests/reference/models.R people.csv > tests/reference/models_of_r.py
# (people.csv and levels.csv are its two arguments)
# levels.csv: python -c "from tests.spec.outputs.beside import levelled_frame; levelled_frame().to_csv('levels.csv', index=False)"
# people.csv: python -c "from tests.spec.outputs.beside import small_frame; small_frame().to_csv('people.csv', index=False)"
suppressMessages({library(survival); library(MASS); library(lme4); library(survey); library(quantreg)})
d <- read.csv(commandArgs(TRUE)[1], stringsAsFactors = FALSE)
for (v in c("SEX", "TENURE", "LTILL", "AREAP")) d[[v]] <- factor(d[[v]])
d$MSTATUS <- factor(d$MSTATUS, levels = unique(d$MSTATUS[order(d$STATUS)]), ordered = TRUE)
a <- d[d$AGE >= 1, ]
tuple <- function(x) {
  x <- sub("NaN", "nan", sprintf("%.12g", x))
  paste0("(", paste(x, collapse = ", "), if (length(x) == 1) ",", ")")
}
show <- function(name, b, se) cat(sprintf("    \"%s\": (%s, %s),\n", name, tuple(b), tuple(se)))
fit <- function(name, m, n = Inf) {
  v <- sqrt(diag(as.matrix(vcov(m))))
  b <- coef(m)
  show(name, b, v[seq_along(b)])
}
cat("\"\"\"What R computes of the first 400 people of the simulated census (made by models.R).\"\"\"\n\n")
cat("from math import nan\n\n")
cat(sprintf("# %s, survival %s, MASS %s, lme4 %s, survey %s, quantreg %s\n", R.version.string, packageVersion("survival"),
            packageVersion("MASS"), packageVersion("lme4"), packageVersion("survey"), packageVersion("quantreg")))
cat("VALUES = {\n")
tight <- glm.control(epsilon = 1e-14, maxit = 100)
fit("probit", glm(HOME ~ AGE + SEX, binomial("probit"), d, control = tight))
fit("probit ns", glm(HOME ~ splines::ns(AGE, 4) + SEX, binomial("probit"), d, control = tight))
fit("probit bs", glm(HOME ~ splines::bs(AGE, df = 5) + SEX, binomial("probit"), d, control = tight))
fit("linear ns", lm(STATUS ~ splines::ns(AGE, knots = c(20, 45)) * SEX, d))
fit("cloglog", glm(HOME ~ AGE + SEX, binomial("cloglog"), d, control = tight))
fit("gamma", glm(AGE ~ SEX + TENURE, Gamma("log"), a, control = tight))
fit("inverse-gaussian", glm(AGE ~ SEX + TENURE, inverse.gaussian("log"), a, control = tight))
for (link in c("inverse", "identity")) fit(paste("gamma", link), glm(AGE ~ SEX + TENURE, Gamma(link), a, control = tight))
for (link in c("1/mu^2", "inverse", "identity")) {
  fit(paste("inverse-gaussian", link), glm(AGE ~ SEX + TENURE, inverse.gaussian(link), a, control = tight))
}
fit("quasi-poisson", glm(AGE ~ SEX + TENURE, quasipoisson, d, control = tight))
nb <- glm.nb(AGE ~ SEX + TENURE, d, control = glm.control(epsilon = 1e-14, maxit = 100))
fit("negative-binomial", nb)
show("negative-binomial theta", nb$theta, nb$SE.theta)
fit("cox poly", coxph(Surv(AGE, ILL) ~ poly(STATUS, 2) + SEX, d, control = coxph.control(eps = 1e-12)))
fit("cox efron", coxph(Surv(AGE, ILL) ~ SEX + TENURE, d, control = coxph.control(eps = 1e-12)))
fit("cox breslow", coxph(Surv(AGE, ILL) ~ SEX + TENURE, d, ties = "breslow", control = coxph.control(eps = 1e-12)))
fit("cox strata", coxph(Surv(AGE, ILL) ~ TENURE + strata(SEX), d, control = coxph.control(eps = 1e-12)))
fit("cox robust", coxph(Surv(AGE, ILL) ~ SEX + TENURE, d, robust = TRUE, control = coxph.control(eps = 1e-12)))
fit("cox clustered", coxph(Surv(AGE, ILL) ~ SEX + TENURE, d, cluster = AREAP, control = coxph.control(eps = 1e-12)))
fit("cox robust strata", coxph(Surv(AGE, ILL) ~ TENURE + strata(SEX), d, robust = TRUE, ties = "breslow",
                               control = coxph.control(eps = 1e-12)))
shown <- c(100, 300, 500)
for (ties in c("efron", "breslow")) {
  m <- coxph(Surv(time, status) ~ age + sex + ph.ecog, lung, ties = ties, control = coxph.control(eps = 1e-12))
  show(paste("baseline", ties, "numbers"), summary(survfit(m), times = shown)$surv, rep(NaN, 3))
  h <- basehaz(m, centered = FALSE)
  show(paste("baseline", ties, "zero"), sapply(shown, function(t) max(h$hazard[h$time <= t])), rep(NaN, 3))
}
m <- coxph(Surv(time, status) ~ age + ph.ecog + strata(sex), lung, control = coxph.control(eps = 1e-12))
show("baseline strata", summary(survfit(m), times = shown)$surv, rep(NaN, 6))
w <- survreg(Surv(AGE, ILL) ~ SEX + TENURE, a, control = survreg.control(rel.tolerance = 1e-10, maxiter = 1000))
show("weibull", c(coef(w), log(w$scale)), sqrt(diag(vcov(w))))
fit("exponential", survreg(Surv(AGE, ILL) ~ SEX + TENURE, a, dist = "exponential",
                           control = survreg.control(rel.tolerance = 1e-10, maxiter = 1000)))
o <- polr(MSTATUS ~ AGE + SEX, d, Hess = TRUE, control = list(reltol = 1e-16, maxit = 1000))
show("ordered-logit", c(coef(o), o$zeta), sqrt(diag(vcov(o))))
o <- polr(MSTATUS ~ AGE + SEX, d, Hess = TRUE, method = "probit", control = list(reltol = 1e-16, maxit = 1000))
show("ordered-probit", c(coef(o), o$zeta), sqrt(diag(vcov(o))))
m <- lmer(AGE ~ SEX + TENURE + (1 | MSTATUS), d, REML = FALSE)
s <- as.data.frame(VarCorr(m))$vcov
show("random-intercept ml", c(fixef(m), s), c(sqrt(diag(as.matrix(vcov(m)))), NaN, NaN))
m <- lmer(AGE ~ SEX + TENURE + (1 | MSTATUS), d)
s <- as.data.frame(VarCorr(m))$vcov
show("random-intercept reml", c(fixef(m), s), c(sqrt(diag(as.matrix(vcov(m)))), NaN, NaN))
l <- read.csv(commandArgs(TRUE)[2])
for (how in c("ml", "reml")) for (bars in c("|", "||")) {
  m <- lmer(as.formula(paste0("y ~ x + (x ", bars, " g)")), l, REML = how == "reml",
            control = lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10)))
  s <- as.data.frame(VarCorr(m))$vcov
  show(paste("random-slope", how, bars), c(fixef(m), s), c(sqrt(diag(as.matrix(vcov(m)))), rep(NaN, length(s))))
}
fit("wls", lm(AGE ~ SEX + TENURE, d, weights = ETHGROUP))
design <- svydesign(ids = ~AREAP, weights = ~ETHGROUP, data = d)
fit("svyglm", svyglm(AGE ~ SEX + TENURE, design))
fit("svyglm logistic", svyglm(HOME ~ SEX, design, family = quasibinomial))
nested <- svydesign(ids = ~AREAP, strata = ~SEX, nest = TRUE, weights = ~ETHGROUP, data = d)
fit("svyglm strata", svyglm(AGE ~ SEX + TENURE, nested))
fit("svyglm strata logistic", svyglm(HOME ~ SEX, nested, family = quasibinomial))
fit("svyglm strata alone", svyglm(AGE ~ SEX + TENURE, svydesign(ids = ~1, strata = ~MSTATUS, weights = ~ETHGROUP, data = d)))
show("spearman", cor(d$AGE, d$ETHGROUP, method = "spearman"), NaN)
show("kendall", cor(d$AGE, d$ETHGROUP, method = "kendall"), NaN)
v <- anova(lm(AGE ~ SEX + TENURE, d))
show("anova", c(v$`Sum Sq`, v$`F value`[1:2]), c(v$Df, NaN, NaN))
trials <- as.integer(as.character(d$MSTATUS))
fit("binomial", glm(cbind(HOME, trials - HOME) ~ AGE + SEX, binomial, d, control = tight))
v <- lm(AGE ~ SEX + TENURE, d)
show("lm aic and bic", c(AIC(v), BIC(v)), c(NaN, NaN))
# Average marginal effects by predictions, with standard errors by differences of these.
m <- glm(HOME ~ AGE + LTILL + SEX, binomial, d, control = tight)
effects <- function(b) {
  x <- model.matrix(m)
  at <- function(column, value) { x[, column] <- value; mean(plogis(x %*% b)) }
  c(mean(dlogis(x %*% b)) * b[2], sapply(3:length(b), function(j) at(j, 1) - at(j, 0)))
}
b <- coef(m)
slopes <- sapply(seq_along(b), function(j) {
  h <- 1e-5 * (seq_along(b) == j)
  (effects(b + h) - effects(b - h)) / 2e-5
})
show("marginal effects", effects(b), sqrt(diag(slopes %*% vcov(m) %*% t(slopes))))
data(engel)
for (tau in c(0.25, 0.5, 0.9)) {
  m <- rq(foodexp ~ income, tau, engel)
  for (se in c("iid", "nid", "ker")) show(sprintf("quantile %g %s", tau, se), coef(m), summary(m, se = se)$coefficients[, 2])
}
cat("}\n")

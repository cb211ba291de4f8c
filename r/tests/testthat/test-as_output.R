people <- data.frame(
  ill = rep(c(0, 1, 0, 0, 1), 40), age = 20 + (7 * (0:199)) %% 45,
  town = factor(rep(c("York", "Bath", "Ely", "York"), 50), levels = c("York", "Bath", "Ely")), n = rep(0:3, 50)
)

test_that("a logistic model names its kind, formula and labels", {
  fit <- glm(ill ~ age + town + I(age^2), data = people, family = binomial)
  made <- as_output(fit)
  expect_equal(made$spec$kind, "logistic")
  expect_equal(made$spec$formula, "ill ~ age + C(town, Treatment('York')) + I(age**2)")
  rows <- made$files$released
  expect_equal(rows$term[3], "C(town, Treatment('York'))[T.Bath]")
  expect_equal(as.numeric(rows$coef[2]), round(unname(coef(fit)[2]), 4))
  expect_equal(rows$coef[nrow(rows)], "200")
})

test_that("standard errors are those of the model", {
  fit <- lm(age ~ ill, data = people)
  rows <- as_output(fit, decimals = 3)$files$released
  expect_equal(as.numeric(rows$se[1:2]), round(unname(sqrt(diag(vcov(fit)))), 3))
})

test_that("interactions of factors find their labels", {
  made <- as_output(lm(age ~ ill * town, data = people))
  expect_true("ill:C(town, Treatment('York'))[T.Ely]" %in% made$files$released$term)
})

test_that("a condition and weights are passed on", {
  made <- as_output(lm(age ~ ill, data = people, subset = age > 30 & town != "Ely", weights = n))
  expect_equal(made$spec$where, "age > 30 and town != 'Ely'")
  expect_equal(made$spec$weights, "n")
})

test_that("weights of ordered models are passed on, and rows are counted", {
  homes <- MASS::housing
  made <- as_output(MASS::polr(Sat ~ Infl, data = homes, weights = Freq, Hess = TRUE))
  expect_equal(made$spec$weights, "Freq")
  expect_equal(tail(made$files$released$coef, 1), "72")
})

test_that("classes are compared with the first value of the data", {
  skip_if_not_installed("nnet")
  fit <- nnet::multinom(town ~ age, people, trace = FALSE, reltol = 1e-16)
  rows <- as_output(fit)$files$released
  expect_equal(rows$term, c("town=York & Intercept", "town=York & age", "town=Ely & Intercept", "town=Ely & age"))
  b <- coef(fit)
  expect_equal(as.numeric(rows$coef), as.numeric(sprintf("%.4f", c(-b["Bath", ], b["Ely", ] - b["Bath", ]))))
})

test_that("variances of lmer have the digits that its search is good for", {
  skip_if_not_installed("lme4")
  made <- as_output(lme4::lmer(Reaction ~ Days + (Days | Subject), lme4::sleepstudy))
  rows <- made$files$released
  expect_equal(rows$coef[rows$term == "variance of Subject"], "612.1")
  expect_equal(nchar(sub(".*[.]", "", rows$se[1])), 4)
})

test_that("a coefficient that R leaves out is said to be omitted", {
  twice <- transform(people, again = age)
  rows <- as_output(lm(ill ~ age + again, data = twice))$files$released
  expect_equal(rows$coef[rows$term == "again"], "omitted")
})

test_that("levels that no row of the model has are omitted", {
  made <- as_output(lm(age ~ town * ill, people, subset = town != "Ely"))$files$released
  omitted <- made$term[made$coef == "omitted"]
  expect_equal(omitted, paste0("C(town, Treatment('York'))[T.Ely]", c("", ":ill")))
})

test_that("names and values that are no plain words are quoted", {
  odd <- data.frame(y = people$age, sm.oke = people$n, class = people$town, check.names = FALSE)
  odd$`my var` <- people$ill
  odd$group <- ifelse(people$n > 1, "(0,30]", "King's Lynn")
  odd$group <- factor(odd$group, levels = c("King's Lynn", "(0,30]"))
  made <- as_output(lm(y ~ log(sm.oke + 1) + factor(`my var`) + class + group, odd))
  expect_equal(
    made$spec$formula,
    "y ~ log(`sm.oke` + 1) + C(`my var`) + C(`class`, Treatment('York')) + C(group, Treatment('King\\'s Lynn'))"
  )
  made <- as_output(lm(y ~ class, odd, subset = group != "King's Lynn" & `my var` == 1))
  expect_equal(made$spec$where, "group != \"King's Lynn\" and `my var` = 1")
})

test_that("polynomials and splines have a label a column", {
  rows <- as_output(lm(ill ~ poly(age, 2) + splines::ns(n, df = 2), people))$files$released
  expect_equal(rows$term[2:5], c("poly(age, 2)[1]", "poly(age, 2)[2]", "ns(n, df=2)[1]", "ns(n, df=2)[2]"))
  made <- as_output(lm(ill ~ splines::bs(age, knots = c(30, 40)), people))
  expect_equal(made$spec$formula, "ill ~ bs(age, knots=[30, 40])")
  expect_error(as_output(lm(ill ~ splines::ns(age, 3), people, subset = n > 1)), "select the rows first")
})

test_that("comparisons are numbers, as terms and as responses", {
  made <- as_output(lm(ill ~ I(age > 40) + (n == 2), people))
  expect_equal(made$files$released$term[2:3], c("I(age > 40)", "I(n == 2)"))
  made <- as_output(glm(town == "Ely" ~ age, binomial, people))
  expect_equal(made$spec$formula, "I(town == 'Ely') ~ age")
  # R counts every level but the first.
  made <- as_output(glm(town ~ age, binomial, people))
  expect_equal(made$spec$formula, "I(town != 'York') ~ age")
})

test_that("conditions are computed where they name no column", {
  oldest <- 50
  made <- as_output(lm(ill ~ age, people, subset = age < oldest & town %in% c("Ely", "York") & !is.na(n)))
  expect_equal(
    made$spec$where, "age < 50 and (town is not missing and town in ('Ely', 'York')) and not (n is missing)"
  )
  keep <- people$age > 30
  expect_error(as_output(lm(ill ~ age, people, subset = keep)), "select the rows first")
  expect_error(as_output(lm(ill ~ age, people, weights = keep * 2)), "column of the data")
  expect_equal(as_output(xtabs(~ town, people, subset = n == 1))$spec$where, "n = 1")
})

test_that("an analysis of variance is the table of its terms", {
  fit <- aov(age ~ town * ill, people)
  rows <- as_output(fit)$files$released
  expect_equal(rows$value[rows$label == "df | C(town, Treatment('York'))"], "2")
  said <- summary(fit)[[1]]
  expect_equal(as.numeric(rows$value[rows$label == "sum sq | Residual"]), said[["Sum Sq"]][4], tolerance = 1e-6)
  expect_equal(nrow(rows), 5 * 4 - 2)
  expect_error(as_output(anova(fit)), "model itself")
})

test_that("totals of a table follow from its cells", {
  plain <- table(town = people$town, ill = people$ill)
  expect_equal(as_output(addmargins(plain))$files$released, as_output(plain)$files$released)
  plain["York", "1"] <- NA
  shown <- plain
  attr(shown, "dimnames")$ill[2] <- "Sum"
  expect_error(as_output(shown), "without its totals")
})

test_that("what a formula makes of columns is refused with what to do", {
  expect_error(as_output(lm(ill ~ cut(age, 3), people)), "make it a column")
  expect_error(as_output(glm(factor(ill, labels = c("no", "yes")) ~ age, binomial, people)), "make it a column")
  expect_error(as_output(lm(people$ill ~ people$age)), "names of columns")
  expect_error(as_output(lm(ill ~ age, transform(people, age = as.Date("2020-01-01") + age))), "a date, perhaps")
  expect_error(as_output(lm(age ~ a, transform(people, a = ifelse(n == 0, "", "b")))), "empty text")
  expect_error(as_output(lm(age ~ factor(town, ordered = TRUE), people)), "ordered = FALSE")
  expect_error(as_output(glm(n ~ age, poisson, people, offset = log(age))), "no offsets")
  expect_error(as_output(lm(cbind(age, n) ~ ill, people)), "one response")
  expect_error(as_output(summary(lm(age ~ ill, people))), "not its summary")
  shares <- data.frame(p = c(0.2, 0.5, 0.7), x = 1:3, k = c(5, 10, 10))
  expect_error(as_output(glm(p ~ x, binomial, shares, weights = k)), "is a share")
  both <- aggregate(age ~ town, people, function(v) c(mean(v), sd(v)))
  expect_error(as_output(both, kind = "means", variables = "age", by = "town"), "several figures")
})

test_that("Cox and survival models of other kinds are refused by name", {
  skip_if_not_installed("survival")
  Surv <- survival::Surv
  strata <- survival::strata
  lung <- survival::lung
  expect_error(as_output(survival::coxph(Surv(time, status) ~ age * strata(sex), lung)), "term of its own")
  expect_error(as_output(survival::coxph(Surv(time, status) ~ survival::pspline(age), lung)), "penalties")
  expect_error(as_output(survival::survreg(Surv(time, status) ~ age + strata(sex), lung)), "one scale")
  curve <- survival::survfit(Surv(time, status) ~ sex, lung, weights = age, subset = ph.ecog < 2)
  made <- as_output(curve, times = 200)
  expect_equal(made$spec[c("weights", "where")], list(weights = "age", where = "`ph.ecog` < 2"))
})

test_that("the event of a survival time is one value of one column", {
  skip_if_not_installed("survival")
  Surv <- survival::Surv
  bile <- survival::pbc
  bile$dead <- bile$status == 2
  observed <- function(fit) as_output(fit)$spec$observed
  expect_equal(observed(survival::coxph(Surv(time, status > 1) ~ age, bile)), "2")
  expect_equal(observed(survival::coxph(Surv(time, status %in% 2) ~ age, bile)), "2")
  expect_equal(observed(survival::coxph(Surv(time, !dead) ~ age, bile)), "FALSE")
  expect_error(observed(survival::coxph(Surv(time, status > 0) ~ age, bile)), "make it a column")
  expect_error(observed(survival::coxph(Surv(time / 30, dead) ~ age, bile)), "make it a column")
  curve <- as_output(survival::survfit(Surv(time, status == 2) ~ sex, survival::pbc), times = 365)
  expect_equal(curve$spec[c("event", "observed")], list(event = "status", observed = "2"))
  # Whose data R does not find any more.
  curve <- as_output(survival::survfit(Surv(time, status == 2) ~ sex, bile), times = 365)
  expect_equal(curve$spec$observed, "2")
})

test_that("estimates are those of the maximum, where R stops before", {
  fit <- suppressWarnings(glm(ill ~ age + town, binomial("probit"), people, control = glm.control(epsilon = 1e-6)))
  end <- update(fit, control = glm.control(epsilon = 1e-14))
  rows <- as_output(fit, decimals = 7)$files$released
  expect_equal(as.numeric(rows$coef[1:4]), unname(coef(end)), tolerance = 1e-6)
  expect_equal(as.numeric(rows$se[1:4]), unname(sqrt(diag(vcov(end)))), tolerance = 1e-6)
  skip_if_not_installed("nnet")
  many <- transform(people, town = factor(town, levels = c("Bath", "Ely", "York")))
  early <- nnet::multinom(town ~ age + n, many, trace = FALSE, reltol = 1e-6)
  late <- nnet::multinom(town ~ age + n, many, trace = FALSE, reltol = 1e-16, maxit = 1000)
  expect_equal(
    as.numeric(as_output(early, decimals = 7)$files$released$coef), as.vector(t(coef(late))), tolerance = 1e-5
  )
})

test_that("what another package makes of a model is not taken for that model", {
  skip_if_not_installed("MASS")
  expect_error(as_output(MASS::rlm(age ~ ill, people)), "not what rlm makes of it")
  odd <- structure(glm(ill ~ age, binomial, people), class = c("gam", "glm", "lm"))
  expect_error(as_output(odd), "not what gam makes of it")
})

test_that("missing values of a table are a category", {
  some <- transform(people, town = ifelse(n == 0, NA, as.character(town)))
  made <- as_output(table(town = some$town, ill = some$ill, useNA = "ifany"))
  expect_equal(made$spec$missing, "include")
  expect_true("town=missing & ill=0" %in% made$files$released$label)
})

test_that("instruments, fixed effects and too many zeros are kinds of their own", {
  skip_if_not_installed("AER")
  made <- as_output(AER::ivreg(age ~ n + ill | town + ill, data = people))
  expect_equal(made$spec[c("kind", "scale")], list(kind = "two-stage", scale = "n-k"))
  expect_equal(made$spec$instruments, "C(town, Treatment('York')) + ill")
  skip_if_not_installed("plm")
  twice <- transform(people, who = rep(1:50, 4), year = rep(1:4, each = 50))
  made <- as_output(plm::plm(age ~ n + ill, twice, index = c("who", "year")))
  expect_equal(made$spec[c("kind", "absorb")], list(kind = "fixed-effects", absorb = "who"))
  expect_error(as_output(plm::plm(age ~ n, twice, index = c("who", "year"), model = "pooling")), "within")
  skip_if_not_installed("pscl")
  made <- as_output(pscl::zeroinfl(n ~ age | 1, people))
  expect_equal(made$files$released$term, c("Intercept", "age", "inflate", "n"))
  expect_error(as_output(pscl::zeroinfl(n ~ age | ill, people)), "one share of zeros")
})

test_that("trees ask whether a yes or no holds", {
  skip_if_not_installed("rpart")
  known <- transform(people, old = age > 40, wage = age + 30 * (age > 40))
  made <- as_output(rpart::rpart(wage ~ old, known))
  expect_equal(as.character(made$spec$leaves), c("old = FALSE", "old = TRUE"))
})

test_that("counts are labelled by variable and value", {
  made <- as_output(xtabs(~ town + ill, people))
  expect_equal(made$files$released$label[1], "town=York & ill=0")
  expect_equal(sum(as.numeric(made$files$released$value)), 200)
  expect_equal(as_output(ftable(town ~ ill, people))$spec$kind, "crosstab")
})

test_that("means of groups come from a data frame", {
  means <- aggregate(age ~ town, people, mean)
  made <- as_output(means, kind = "means", variables = "age", by = "town")
  expect_equal(made$files$released$label, paste0("age | town=", means$town))
})

test_that("what cannot be read is refused in plain words", {
  expect_error(as_output(1:3), "does not know how to read")
  expect_error(as_output(glm(ill ~ age, binomial("cauchit"), people)), "link cauchit")
  expect_error(as_output(lm(age ~ ill + offset(n), people)), "no offsets")
  expect_error(as_output(table(people$ill)), "which variables")
  expect_error(as_output(data.frame(a = 1), kind = "means", variables = "b"), "no column b")
  expect_error(as_output(aggregate(age ~ town, people, mean)), "say what the figures")
  expect_error(as_output(lm(age ~ ill, people, subset = log(age) > 3)), "cannot read the condition")
})

test_that("other links are kinds of their own", {
  fit <- glm(ill ~ age, binomial("probit"), people)
  made <- as_output(fit)
  expect_equal(made$spec$kind, "probit")
  expect_equal(made$spec$information, "expected")
  expect_equal(as_output(glm(age ~ ill, Gamma("log"), people))$spec$kind, "gamma")
})

test_that("survival models say time, event, ties and strata", {
  skip_if_not_installed("survival")
  lung <- survival::lung
  Surv <- survival::Surv
  strata <- survival::strata
  fit <- survival::coxph(Surv(time, status) ~ age + factor(ph.ecog) + strata(sex), lung)
  made <- as_output(fit)
  expect_equal(made$spec$kind, "cox")
  expect_equal(made$spec$formula, "time ~ age + C(`ph.ecog`)")
  expect_equal(made$spec[c("event", "observed", "ties")], list(event = "status", observed = "2", ties = "efron"))
  expect_equal(as.character(made$spec$strata), "sex")
  expect_equal(tail(made$files$released$coef, 1), "227")
  expect_equal(made$files$released$coef[1], sprintf("%.4f", coef(fit)[1]))
  weibull <- as_output(survival::survreg(Surv(time, status == 2) ~ age, lung))
  expect_equal(weibull$spec$observed, "2")
  expect_true("log(scale)" %in% weibull$files$released$term)
  expect_error(as_output(survival::survreg(Surv(time, status) ~ age, lung, dist = "lognormal")), "weibull")
})

test_that("ordered responses keep their order and counts say alpha", {
  skip_if_not_installed("MASS")
  housing <- MASS::housing[rep(seq_len(nrow(MASS::housing)), MASS::housing$Freq), ]
  fit <- MASS::polr(Sat ~ Infl, housing, Hess = TRUE)
  made <- as_output(fit)
  expect_equal(as.character(made$spec$order), c("Low", "Medium", "High"))
  expect_equal(made$files$released$term[3:4], c("cut1", "cut2"))
  nb <- MASS::glm.nb(Days ~ Sex, MASS::quine)
  made <- as_output(nb)
  row <- made$files$released[made$files$released$term == "alpha", ]
  expect_equal(row$coef, sprintf("%.4f", 1 / nb$theta))
  expect_equal(row$se, "")
})

test_that("survey models say weights and clusters", {
  skip_if_not_installed("survey")
  people$w <- rep(1:4, length.out = nrow(people))
  people$town <- rep(1:7, length.out = nrow(people))
  design <- survey::svydesign(ids = ~town, weights = ~w, data = people)
  made <- as_output(survey::svyglm(age ~ ill, design))
  expect_equal(made$spec[c("weights", "errors", "cluster")], list(weights = "w", errors = "cluster-ml", cluster = "town"))
  strata <- survey::svydesign(ids = ~1, strata = ~town, weights = ~w, data = people)
  made <- as_output(survey::svyglm(age ~ ill, strata))
  expect_equal(made$spec[c("errors", "design_strata")], list(errors = "survey", design_strata = "town"))
  people$size <- 1000
  finite <- survey::svydesign(ids = ~1, weights = ~w, fpc = ~size, data = people)
  expect_error(as_output(survey::svyglm(age ~ ill, finite)), "finite population")
})

test_that("quasi-families have errors with a dispersion", {
  fit <- glm(n ~ age, data = people, family = quasipoisson)
  made <- as_output(fit)
  expect_equal(made$spec$kind, "poisson")
  expect_equal(made$spec$errors, "quasi")
})

test_that("a random intercept has two variances", {
  skip_if_not_installed("lme4")
  # Towns differ by far more than people do, so that the variance between them is not 0.
  apart <- transform(people, age = age + 10 * as.integer(town))
  made <- as_output(lme4::lmer(age ~ ill + (1 | town), data = apart))
  expect_equal(made$spec$kind, "random-intercept")
  expect_equal(made$spec$group, "town")
  expect_equal(made$spec$likelihood, "reml")
  rows <- made$files$released
  expect_equal(rows$term, c("Intercept", "ill", "variance of town", "residual variance", "n"))
  expect_true(as.numeric(rows$coef[3]) > 50)
})

test_that("an ordered probit model is read", {
  skip_if_not_installed("MASS")
  ordered <- transform(people, town = factor(town, ordered = TRUE))
  made <- as_output(MASS::polr(town ~ age, data = ordered, method = "probit", Hess = TRUE))
  expect_equal(made$spec$kind, "ordered-probit")
})

test_that("means from aggregate are figures", {
  made <- as_output(aggregate(age ~ town, people, mean), kind = "means", variables = "age", by = "town")
  expect_equal(made$files$released$label[1], "age | town=York")
})

test_that("events among trials name both columns", {
  counted <- transform(people, trials = n + 2)
  made <- as_output(glm(cbind(n, trials - n) ~ age, binomial, counted))
  expect_equal(made$spec$kind, "binomial")
  expect_equal(made$spec$formula, "n ~ age")
  expect_equal(made$spec$trials, "trials")
  expect_error(as_output(glm(cbind(n, trials) ~ age, binomial, counted)), "cbind\\(events, trials - events\\)")
})

test_that("a quantile regression says its quantile and how its errors are made", {
  skip_if_not_installed("quantreg")
  fit <- suppressWarnings(quantreg::rq(age ~ ill, tau = 0.25, data = people))
  made <- as_output(fit, density = "iid")
  expect_equal(made$spec$kind, "quantile-regression")
  expect_equal(made$spec$quantile, 0.25)
  expect_equal(made$spec$density, "iid")
  expect_equal(made$files$released$term, c("Intercept", "ill", "n"))
  two <- suppressWarnings(quantreg::rq(age ~ ill, tau = c(0.25, 0.5), data = people))
  expect_error(as_output(two), "class rqs")
  expect_error(as_output(fit, density = "rank"), "iid, nid, ker")
})

test_that("robust and clustered Cox models say so", {
  skip_if_not_installed("survival")
  Surv <- survival::Surv
  robust <- as_output(survival::coxph(Surv(age, ill) ~ n, data = people, robust = TRUE))
  expect_equal(robust$spec$errors, "HC0")
  clustered <- as_output(survival::coxph(Surv(age, ill) ~ n, data = people, cluster = town))
  expect_equal(clustered$spec[c("errors", "cluster")], list(errors = "cluster-plain", cluster = "town"))
})

test_that("Gamma models say their link", {
  made <- as_output(glm(age ~ ill, data = people, family = Gamma))
  expect_equal(made$spec[c("kind", "link")], list(kind = "gamma", link = "inverse"))
  made <- as_output(glm(age ~ ill, data = people, family = inverse.gaussian))
  expect_equal(made$spec$link, "inverse-squared")
})

test_that("a random slope has two variances and a covariance", {
  skip_if_not_installed("lme4")
  apart <- transform(people, n = n + 5 * as.integer(town) + age * as.integer(town))
  fit <- suppressMessages(suppressWarnings(lme4::lmer(n ~ age + (age | town), data = apart)))
  made <- as_output(fit)
  expect_equal(made$spec[c("kind", "slope", "correlated")], list(kind = "random-slope", slope = "age", correlated = TRUE))
  expected <- c("variance of town", "variance of age by town", "covariance of town and age", "residual variance", "n")
  expect_equal(utils::tail(made$files$released$term, 5), expected)
  spread <- as.data.frame(lme4::VarCorr(fit))$vcov
  expect_equal(as.numeric(made$files$released$coef[3:6]), spread, tolerance = 1e-3)
})

test_that("a tree is the table of its leaves", {
  skip_if_not_installed("rpart")
  small <- rpart::rpart.control(minsplit = 20, cp = 0.001, maxcompete = 2)
  odd <- transform(people, ill = factor((age > 40 & town != "Ely") != (n == 3), labels = c("no", "yes")))
  made <- as_output(rpart::rpart(ill ~ age + town + n, odd, method = "class", control = small))
  expect_equal(made$spec$kind, "tree")
  expect_equal(sum(as.numeric(made$files$released$value)), 200)
  wages <- transform(people, wage = age * (town == "Bath") + n)
  fit <- rpart::rpart(wage ~ age + town, wages, control = small)
  made <- as_output(fit)
  expect_equal(made$spec$kind, "regression-tree")
  # Each leaf, asked in R, has the people and the mean that the tree says.
  for (leaf in made$spec$leaves) {
    asked <- gsub(" = ", " == ", gsub(" and ", " & ", gsub(" or ", " | ", leaf)))
    inside <- with(wages, eval(parse(text = asked)))
    said <- made$files$released
    expect_equal(as.numeric(said$value[said$label == paste("n in", leaf)]), sum(inside))
    expect_equal(as.numeric(said$value[said$label == paste("mean in", leaf)]), round(mean(wages$wage[inside]), 2))
  }
})

test_that("a Cox model brings the curve of survfit where times are given", {
  skip_if_not_installed("survival")
  lung <- na.omit(survival::lung[c("time", "status", "age", "sex")])
  Surv <- survival::Surv
  fit <- survival::coxph(Surv(time, status) ~ age + sex, lung)
  rows <- as_output(fit, times = c(180, 365))$files$released
  expect_equal(rows$term[3:4], c("baseline survival time=180", "baseline survival time=365"))
  curve <- summary(survival::survfit(fit), times = c(180, 365))$surv
  expect_equal(as.numeric(rows$coef[3:4]), round(curve, 4))
  expect_error(as_output(survival::survfit(fit)), "Cox model itself")
  curve <- survival::survfit(Surv(time, status) ~ sex, lung)
  expect_equal(as_output(curve, times = 180)$files$released$label, paste0("survival time=180 | sex=", 1:2))
})

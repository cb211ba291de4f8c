# Fits of R on data of its own packages, as the package writes them with nine decimals, and what it says of those that it
# does not read: Rscript many_fits.R r/R folder. Prints a line a fit: its name, a tab, "ok" or the sentence.
asked <- commandArgs(TRUE)
for (file in list.files(asked[1], full.names = TRUE)) source(file)
have <- function(name) suppressWarnings(suppressMessages(require(name, character.only = TRUE, quietly = TRUE)))
for (name in c("survival", "MASS")) if (!have(name)) stop("there is no package called ", name)
births <- transform(
  birthwt, race = factor(race, labels = c("white", "black", "other")), smoker = smoke == 1, w = 1 + seq_along(low) %% 3,
  size = factor(ifelse(low == 1, "low", "normal"), levels = c("normal", "low")),
  site = letters[1 + (7 * seq_along(low)) %% 11], half = ifelse((7 * seq_along(low)) %% 11 < 5, "a", "b")
)
births$ranked <- factor(births$race, ordered = TRUE)
lung_cells <- transform(veteran, cell = as.character(celltype), dead = status == 1)
bile <- subset(pbc, !is.na(trt))
counted <- transform(esoph, people = ncases + ncontrols, agegp = as.character(agegp))
sport <- transform(MASS::survey, Exer = factor(Exer, c("None", "Some", "Freq")))
exact <- coxph.control(eps = 1e-11, toler.chol = 1e-13, iter.max = 100)
fine <- survreg.control(rel.tolerance = 1e-12, maxiter = 500)
# Each: the fit, its data, and further arguments of as_output.
read <- alist(
  lm = list(lm(bwt ~ race * smoke + poly(age, 2), births), births),
  `lm, a yes or no` = list(lm(bwt ~ smoker * race + age, births), births),
  `lm, no intercept` = list(lm(bwt ~ race + age - 1, births), births),
  `lm, weights` = list(lm(bwt ~ age + race, births, weights = w), births),
  `lm, subset` = list(lm(bwt ~ age + race, births, subset = age > 18 & smoke == 0), births),
  `lm, missing` = list(lm(Ozone ~ Wind + Temp + factor(Month), airquality, na.action = na.exclude), airquality),
  `lm, functions` = list(lm(log(bwt) ~ log(lwt) + I(age^2) + (ht == 1) + scale(ftv), births), births),
  `lm, ns` = list(lm(bwt ~ splines::ns(age, df = 4) + lwt, births), births),
  `lm, bs` = list(lm(bwt ~ splines::bs(age, df = 5) + lwt, births), births),
  `lm, reference` = list(lm(bwt ~ relevel(race, "other") + site, births), births),
  `lm, all pairs` = list(lm(mpg ~ (wt + hp + factor(cyl))^2, mtcars), mtcars),
  `lm, nested` = list(lm(breaks ~ wool / tension, warpbreaks), warpbreaks),
  `lm, a dot` = list(lm(Fertility ~ ., swiss), swiss),
  `lm, one column twice` = list(lm(bwt ~ age + I(2 * age) + lwt, births), births),
  aov = list(aov(breaks ~ wool * tension, warpbreaks), warpbreaks),
  logistic = list(glm(low ~ age + lwt + race + smoke, binomial, births), births),
  `logistic, a factor` = list(glm(size ~ age + smoker, binomial, births), births),
  `logistic, a yes or no` = list(glm(smoker ~ age + race, binomial, births), births),
  `logistic, a comparison` = list(glm(bwt < 2500 ~ age + race, binomial, births), births),
  `logistic, weights` = list(suppressWarnings(glm(low ~ age + smoke, binomial, births, weights = w)), births),
  `logistic, quasi` = list(glm(low ~ age + race, quasibinomial, births), births),
  trials = list(glm(cbind(ncases, people - ncases) ~ agegp, binomial, counted), counted),
  probit = list(glm(case ~ induced + spontaneous + education, binomial("probit"), infert), infert),
  cloglog = list(glm(case ~ induced + spontaneous, binomial("cloglog"), infert), infert),
  poisson = list(glm(Days ~ Sex + Age + Eth * Lrn, poisson, quine), quine),
  `poisson, quasi` = list(glm(Days ~ Sex + Age, quasipoisson, quine), quine),
  gamma = list(glm(bwt ~ age + race, Gamma, births), births),
  `gamma, log` = list(glm(thickness ~ sex + age, Gamma("log"), Melanoma), Melanoma),
  `inverse Gaussian` = list(glm(bwt ~ lwt + race, inverse.gaussian, births), births),
  `negative binomial` = list(
    glm.nb(Days ~ Sex + Age + Eth, quine, control = glm.control(epsilon = 1e-14, maxit = 100)), quine
  ),
  `ordered logit` = list(polr(race ~ age + lwt, births, Hess = TRUE), births),
  `ordered logit, weights` = list(polr(Sat ~ Infl + Type, housing, weights = Freq, Hess = TRUE), housing),
  `ordered probit` = list(polr(Exer ~ Age + Sex, sport, Hess = TRUE, method = "probit"), sport),
  cox = list(coxph(Surv(time, status) ~ trt + karno + cell + age, lung_cells, control = exact), lung_cells),
  `cox, strata` = list(coxph(Surv(time, status) ~ trt + karno + strata(cell), lung_cells, control = exact), lung_cells),
  `cox, Breslow` = list(
    coxph(Surv(time, status) ~ trt * prior + karno, lung_cells, ties = "breslow", control = exact), lung_cells
  ),
  `cox, an event of several` = list(
    coxph(Surv(time, status > 1) ~ log(bili) + log(protime) + age + edema, bile, control = exact), bile
  ),
  `cox, late entry` = list(coxph(Surv(start, stop, event) ~ age + surgery + transplant, heart, control = exact), heart),
  `cox, clusters` = list(coxph(Surv(tstart, tstop, status) ~ treat + age, cgd, cluster = id, control = exact), cgd),
  `cox, robust` = list(coxph(Surv(futime, fustat) ~ age + rx, ovarian, robust = TRUE, control = exact), ovarian),
  `cox, weights` = list(coxph(Surv(age, low) ~ lwt + smoke, births, weights = w, control = exact), births),
  `cox, a spline` = list(
    coxph(Surv(time, dead) ~ splines::ns(age, 3) + trt, lung_cells, control = exact), lung_cells
  ),
  `cox, a baseline` = list(
    coxph(Surv(time, status) ~ trt + karno, lung_cells, control = exact), lung_cells, times = c(30, 90, 180)
  ),
  weibull = list(survreg(Surv(time, status) ~ trt + karno + cell, lung_cells, control = fine), lung_cells),
  exponential = list(
    survreg(Surv(futime, fustat) ~ age + rx, ovarian, dist = "exponential", control = fine), ovarian
  ),
  curve = list(survfit(Surv(time, status == 2) ~ sex, bile), bile, times = c(365, 1095)),
  `curve of all` = list(survfit(Surv(time, status) ~ 1, lung_cells), lung_cells, times = c(30, 90)),
  `a table` = list(table(births[c("race", "smoke", "ht")]), births),
  `a table with totals` = list(addmargins(table(race = births$race, smoke = births$smoke)), births),
  `a table with missing values` = list(table(Smoke = sport$Smoke, Sex = sport$Sex, useNA = "ifany"), sport),
  xtabs = list(xtabs(~ race + low, births, subset = age > 20), births),
  ftable = list(ftable(race ~ smoke + ht, births), births),
  aggregate = list(aggregate(cbind(bwt, lwt) ~ race + smoke, births, mean), births, kind = "means",
                   variables = c("bwt", "lwt"), by = c("race", "smoke"))
)
if (have("rpart")) {
  read$tree <- quote(list(rpart(low ~ age + lwt + race + smoker, births, method = "class"), births))
  read$`regression tree` <- quote(list(rpart(bwt ~ age + lwt + race + ht, births), births))
}
if (have("nnet")) {
  read$multinomial <- quote(list(nnet::multinom(Smoke ~ Age + Sex, sport, trace = FALSE), sport))
  read$`multinomial, weights` <- quote(list(nnet::multinom(Sat ~ Infl, housing, weights = Freq, trace = FALSE), housing))
}
if (have("lme4")) {
  # lmer's own search is good for four digits of a variance, whatever it is told: coefficients and their errors are compared.
  tight <- lmerControl(optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e6))
  read$lmer <- quote(list(lmer(angle ~ recipe + temp + (1 | replicate), cake, control = tight), cake))
  read$`lmer, a slope` <- quote(list(lmer(Reaction ~ Days + (Days | Subject), sleepstudy, control = tight), sleepstudy))
  read$`lmer, subset` <- quote(
    list(lmer(weight ~ Time + (1 | Chick), ChickWeight, subset = Time < 12, REML = FALSE, control = tight), ChickWeight)
  )
}
if (have("survey")) {
  data(api)
  by_type <- svydesign(id = ~1, strata = ~stype, weights = ~pw, data = apistrat)
  by_site <- svydesign(id = ~site, strata = ~half, weights = ~w, data = births, nest = TRUE)
  steps <- glm.control(epsilon = 1e-14, maxit = 100)
  read$svyglm <- quote(list(svyglm(api00 ~ ell + meals, svydesign(id = ~dnum, weights = ~pw, data = apiclus1)), apiclus1))
  read$`svyglm, strata` <- quote(list(svyglm(sch.wide ~ ell + meals, by_type, family = quasibinomial, control = steps), apistrat))
  read$`svyglm, counts` <- quote(list(svyglm(ftv ~ age + race, by_site, family = quasipoisson, control = steps), births))
}
if (have("quantreg")) {
  data(barro)
  for (density in c("iid", "nid", "ker")) {
    read[[paste("rq", density)]] <- bquote(list(rq(y.net ~ lgdp2 + mse2 + fse2, 0.75, barro), barro, density = .(density)))
  }
}
if (have("AER")) {
  read$ivreg <- quote(list(ivreg(bwt ~ lwt + smoker + race | smoker + race + age + ht, data = births), births))
  read$`ivreg, a dot` <- quote(list(ivreg(log(bwt) ~ smoker + age | . - smoker + ht + ui, data = births), births))
}
if (have("plm")) {
  data(Grunfeld, package = "plm")
  firms <- transform(Grunfeld, late = year > 1945)
  read$plm <- quote(list(plm(inv ~ value * late + capital, firms, model = "within"), firms))
}
if (have("pscl")) {
  read$zeroinfl <- quote(list(zeroinfl(ftv ~ age + smoker + race | 1, births), births))
  read$`zeroinfl, negbin` <- quote(list(zeroinfl(Days ~ Sex + Eth | 1, quine, dist = "negbin"), quine))
}
refused <- alist(
  `of polynomials` = lm(bwt ~ ranked, births), `of sums` = lm(bwt ~ race, births, contrasts = list(race = "contr.sum")),
  `made within` = lm(bwt ~ cut(age, c(0, 20, 30, 50)), births), offset = lm(bwt ~ age + offset(lwt), births),
  exposure = glm(Claims ~ District, poisson, Insurance, offset = log(Holders)), columns = lm(births$bwt ~ births$age),
  `two responses` = lm(cbind(bwt, lwt) ~ age, births), `strata of errors` = aov(yield ~ N * P * K + Error(block), npk),
  cauchit = glm(low ~ age, binomial("cauchit"), births), `gaussian log` = glm(bwt ~ age, gaussian("log"), births),
  rlm = rlm(bwt ~ age, births), nls = nls(mpg ~ a + b * wt, mtcars, start = list(a = 40, b = -5)),
  `a test` = t.test(bwt ~ smoke, births), `exact ties` = coxph(Surv(time, status) ~ trt, veteran, ties = "exact"),
  frailty = coxph(Surv(time, status) ~ age + frailty(id), kidney), `time in months` = coxph(Surv(time / 30, status) ~ trt, veteran),
  lognormal = survreg(Surv(time, status) ~ trt, veteran, dist = "lognormal"), `no names` = table(births$race, births$smoke),
  `no times` = survfit(Surv(time, status) ~ trt, veteran), shares = prop.table(table(race = births$race)),
  sums = xtabs(Freq ~ Sat + Infl, housing), `no kind` = aggregate(bwt ~ race, births, mean), vector = tapply(births$bwt, births$race, mean),
  summary = summary(lm(bwt ~ age, births))
)
said <- function(expression) tryCatch(expression, error = function(e) {
  # What R itself says has a call, and is no sentence of ours.
  if (is.null(conditionCall(e))) conditionMessage(e) else paste("R:", conditionMessage(e))
})
for (name in names(read)) {
  told <- said({
    one <- suppressMessages(eval(read[[name]]))
    decimals <- if (inherits(one[[1]], c("table", "xtabs", "ftable"))) list() else list(decimals = 9)
    output <- do.call(as_output, c(one[1], one[-(1:2)], decimals))
    write_assessment(list(output), one[[2]], file.path(asked[2], name), NULL, NULL, 2, 10, NULL, 1)
    "ok"
  })
  cat(name, "\t", gsub("\n", " ", told), "\n", sep = "")
}
for (name in names(refused)) {
  told <- said({
    as_output(suppressMessages(suppressWarnings(eval(refused[[name]]))))
    "R: it was read"
  })
  cat("refused: ", name, "\t", gsub("\n", " ", told), "\n", sep = "")
}

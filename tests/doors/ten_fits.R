# Ten fits of R on public data, as the package writes them: Rscript ten_fits.R r/R cps.csv folder
asked <- commandArgs(TRUE)
for (file in list.files(asked[1], full.names = TRUE)) source(file)
cps <- read.csv(asked[2])
births <- MASS::birthwt[c("low", "age", "lwt", "race", "smoke", "bwt")]
lung <- na.omit(survival::lung[c("time", "status", "age", "sex")])
Surv <- survival::Surv
tight <- glm.control(epsilon = 1e-12, maxit = 100)
fits <- list(
  lm(weeks ~ age, cps),
  lm(weeks ~ factor(sex) + age + factor(sex):age, cps),
  lm(age ~ weeks + I(weeks^2), cps),
  glm(rich ~ factor(sex), binomial, cps, control = tight),
  glm(weeks ~ factor(sex) + age, poisson, cps, control = tight),
  glm(age ~ weeks, Gamma("log"), cps, control = tight),
  lm(bwt ~ factor(race) + lwt, births),
  glm(low ~ smoke, binomial, births, control = tight),
  glm(age ~ factor(race), inverse.gaussian("log"), births, control = tight),
  survival::coxph(Surv(time, status) ~ age + sex, lung, control = survival::coxph.control(eps = 1e-12))
)
for (i in seq_along(fits)) {
  output <- as_output(fits[[i]], decimals = 1)
  write_assessment(list(output), output$data, file.path(asked[3], i), NULL, NULL, 2, 60, NULL, 1)
}

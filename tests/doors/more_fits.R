# Fits of R beyond the ten, as the package writes them: Rscript more_fits.R r/R folder
asked <- commandArgs(TRUE)
for (file in list.files(asked[1], full.names = TRUE)) source(file)
suppressMessages(library(survival))
lung <- na.omit(lung[c("time", "status", "age", "sex")])
births <- MASS::birthwt[c("low", "age", "lwt", "race", "bwt")]
births$race <- c("white", "black", "other")[births$race]
large <- rpart::rpart.control(cp = 0.005, minbucket = 12)
made <- list(
  list(as_output(coxph(Surv(time, status) ~ age + sex, lung), times = c(100, 300)), lung),
  list(as_output(coxph(Surv(time, status) ~ age + strata(sex), lung), times = c(100, 300)), lung),
  list(as_output(survfit(Surv(time, status) ~ sex, lung), times = c(180, 365)), lung),
  list(as_output(rpart::rpart(low ~ age + lwt + race, births, method = "class", control = large)), births),
  list(as_output(rpart::rpart(bwt ~ age + lwt + race, births, control = large)), births)
)
for (i in seq_along(made)) {
  write_assessment(made[[i]][1], made[[i]][[2]], file.path(asked[2], i), NULL, NULL, 2, 10, NULL, 1)
}

has_program <- function() nzchar(Sys.which(getOption("divulge.path", Sys.getenv("DIVULGE", "divulge"))))

test_that("a missing program is said with what to do", {
  withr_like <- options(divulge.path = "no-such-program")
  on.exit(options(withr_like))
  expect_error(divulge_check(lm(mpg ~ wt, mtcars)), "options\\(divulge.path")
  expect_output(print(divulge_sitrep()), "not found")
})

test_that("no result and no data are said", {
  expect_error(divulge_check(), "at least one result")
  expect_error(divulge_check(table(am = mtcars$am, gear = mtcars$gear)), "give the data frame")
})

test_that("three lines lead to a verdict", {
  skip_if_not(has_program(), "the program divulge is not installed")
  people <- data.frame(
    ill = rep(c(0, 1, 0, 0, 1), 80), age = 20 + (7 * (0:399)) %% 45, town = rep(c("York", "Bath", "Ely", "York"), 100)
  )
  fit <- glm(ill ~ age + town, data = people, family = binomial)
  x <- divulge_check(fit, xtabs(~ town + ill, people), splits = 2, seconds = 2)
  expect_true(x$verdict %in% c("release", "review", "refuse"))
  expect_output(print(x), toupper(x$verdict))
  expect_gt(nrow(as.data.frame(x)), 1)
  expect_true(file.exists(report(x, open = FALSE)))
})

test_that("figures that the data do not give are an error or a reason", {
  skip_if_not(has_program(), "the program divulge is not installed")
  people <- data.frame(pay = 10 + (3 * (0:199)) %% 17, age = 20 + (7 * (0:199)) %% 45)
  wrong <- as_output(lm(pay ~ age, data = people))
  wrong$files$released$coef[2] <- "99.0000"
  x <- divulge_check(wrong, people, splits = 2, seconds = 1)
  expect_true(x$verdict %in% c("review", "refuse"))
})

test_that("figures of other models are what the data give", {
  skip_if_not(has_program(), "the program divulge is not installed")
  skip_if_not_installed("survival")
  skip_if_not_installed("MASS")
  Surv <- survival::Surv
  lung <- survival::lung[c("time", "status", "age", "sex")]
  cox <- survival::coxph(Surv(time, status) ~ age + sex, lung)
  weibull <- survival::survreg(Surv(time, status) ~ age + sex, lung)
  x <- divulge_check(cox, weibull, data = lung, splits = 2, seconds = 1)
  expect_true(x$verdict %in% c("release", "review", "refuse"))
  expect_false(any(grepl("not what the data give|do not agree", unlist(x$reasons))))
})

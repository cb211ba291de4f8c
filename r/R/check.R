#' Whether outputs may be released
divulge_check <- function(..., data = NULL, target = NULL, keys = NULL, splits = 30, seconds = NULL, policy = NULL,
                          seed = 1, folder = tempfile("divulge")) {
  results <- list(...)
  if (!length(results)) stop("give at least one result, as in divulge_check(fit, data = people).", call. = FALSE)
  # The data frame may stand second, as in divulge_check(fit, people).
  if (is.null(data) && length(results) > 1 && is.data.frame(results[[length(results)]])) {
    data <- results[[length(results)]]
    results <- results[-length(results)]
  }
  outputs <- lapply(results, as_output)
  if (is.null(data)) {
    known <- Filter(Negate(is.null), lapply(outputs, function(o) o$data))
    if (!length(known)) stop("give the data frame that the results come from, as in data = people.", call. = FALSE)
    data <- known[[1]]
  }
  spec <- write_assessment(outputs, data, folder, target, keys, splits, seconds, policy, seed)
  run_divulge(spec, folder)
}

# The folder that the command line reads: data.csv, the figures of each output, spec.json.
write_assessment <- function(outputs, data, folder, target, keys, splits, seconds, policy, seed) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  write_data(data, file.path(folder, "data.csv"))
  listed <- lapply(seq_along(outputs), function(i) {
    name <- sprintf("output%d.csv", i)
    write.csv(outputs[[i]]$files$released, file.path(folder, name), row.names = FALSE, fileEncoding = "UTF-8")
    c(outputs[[i]]$spec, released = name)
  })
  spec <- list(data = "data.csv", outputs = listed, seed = as.integer(seed))
  if (!is.null(target)) spec$scenario <- c(list(target = target), if (!is.null(keys)) list(keys = I(keys)))
  # As `divulge.check` of Python has it, so that every door comes to the same verdict.
  spec$design <- list(kind = "repeated-halves", splits = as.integer(splits), curve = FALSE)
  if (!is.null(seconds)) spec$synthesiser <- list(kind = "descent", seconds = seconds)
  # A file is named from where R stands, and read from the folder of the spec.
  if (!is.null(policy)) spec$policy <- if (file.exists(policy)) normalizePath(policy) else policy
  path <- file.path(folder, "spec.json")
  writeLines(jsonlite::toJSON(spec, auto_unbox = TRUE, digits = NA, pretty = TRUE), path, useBytes = TRUE)
  path
}

# Categories as their labels, missing values as empty fields.
write_data <- function(data, path) {
  data <- as.data.frame(data)
  data[] <- lapply(data, function(column) {
    if (is.factor(column)) as.character(column) else if (inherits(column, "Surv")) NULL else column
  })
  write.csv(data, path, row.names = FALSE, na = "", fileEncoding = "UTF-8")
}

divulge_path <- function() {
  named <- getOption("divulge.path", Sys.getenv("DIVULGE", "divulge"))
  found <- unname(Sys.which(named))
  if (file.exists(named)) return(named)
  if (nzchar(found)) return(found)
  stop(
    "the program divulge is not found.\n",
    "Say where it is: options(divulge.path = \"/path/to/divulge\"). divulge_sitrep() says what is missing.",
    call. = FALSE
  )
}

# R puts its own libraries first on the search path of every program that it starts. A program with libraries of its own
# may then find the wrong ones, so it is started without.
plain_environment <- function() if (.Platform$OS.type == "unix") "LD_LIBRARY_PATH=" else character()

run_divulge <- function(spec, folder) {
  out <- file.path(folder, "result")
  said <- file.path(folder, "errors.txt")
  told <- suppressWarnings(system2(
    divulge_path(), c("assess", shQuote(spec), "-o", shQuote(out), "--json"), stdout = TRUE, stderr = said,
    env = plain_environment()
  ))
  status <- attr(told, "status")
  if (!is.null(status) && status != 0) {
    stop(paste(readLines(said, warn = FALSE, encoding = "UTF-8"), collapse = "\n"), call. = FALSE)
  }
  record <- jsonlite::fromJSON(paste(told, collapse = "\n"), simplifyVector = FALSE)
  structure(list(verdict = record$verdict, reasons = unlist(record$reasons), record = record, folder = folder),
            class = "divulge_check")
}

print.divulge_check <- function(x, ...) {
  cat(toupper(x$verdict), "\n", sep = "")
  for (reason in x$reasons) cat(strwrap(reason, prefix = "    ", initial = "  - "), sep = "\n")
  settle <- unlist(x$record$settle)
  if (length(settle)) {
    cat("What would settle it:\n")
    for (step in settle) cat(strwrap(step, prefix = "    ", initial = "  - "), sep = "\n")
  }
  cat("The whole report: report(x)\n")
  invisible(x)
}

as.data.frame.divulge_check <- function(x, row.names = NULL, optional = FALSE, ...) {
  number <- function(v) if (is.null(v)) NA_real_ else as.numeric(v)
  rows <- do.call(rbind, lapply(x$record$risk, function(r) {
    m <- r$marginal_risk
    data.frame(
      target = r$target, keys = paste(unlist(r$keys), collapse = " "), marginal_risk = number(m$value),
      low = number(m$interval[[1]]), high = number(m$interval[[2]]),
      exposed = if (is.null(r$exposed)) NA_integer_ else as.integer(r$exposed), stringsAsFactors = FALSE
    )
  }))
  if (!is.null(row.names)) rownames(rows) <- row.names
  rows
}

plot.divulge_check <- function(x, ...) {
  d <- as.data.frame(x)
  d <- d[rev(seq_len(nrow(d))), ]
  limit <- x$record$policy$release_risk
  labels <- paste("infer", d$target)
  old <- par(mar = c(4.5, 2 + max(nchar(labels)) * 0.45, 2, 1))
  on.exit(par(old))
  at <- seq_len(nrow(d))
  plot(d$marginal_risk, at, xlim = range(0, d$low, d$high, limit, na.rm = TRUE), ylim = c(0.5, nrow(d) + 0.5), yaxt = "n",
       xlab = "Marginal risk", ylab = "", main = toupper(x$verdict), pch = 19, ...)
  segments(d$low, at, d$high, at, lwd = 2)
  axis(2, at, labels, las = 1)
  if (!is.null(limit)) abline(v = limit, lty = 2)
  invisible(x)
}

#' The report of a check as one HTML file
report <- function(x, ...) UseMethod("report")

report.divulge_check <- function(x, file = NULL, open = interactive(), ...) {
  made <- file.path(x$folder, "result", "report.html")
  if (!file.exists(made)) stop("the report is gone: its folder was removed.", call. = FALSE)
  if (!is.null(file)) {
    file.copy(made, file, overwrite = TRUE)
    made <- file
  }
  if (open) utils::browseURL(made)
  invisible(made)
}

#' What is there and what is missing
divulge_sitrep <- function() {
  path <- tryCatch(divulge_path(), error = function(e) NA_character_)
  version <- NA_character_
  if (!is.na(path)) {
    told <- tryCatch(suppressWarnings(
      system2(path, "--version", stdout = TRUE, stderr = FALSE, env = plain_environment())
    ), error = function(e) "")
    version <- sub("^divulge ", "", told[1])
  }
  structure(list(path = path, version = version, jsonlite = as.character(packageVersion("jsonlite")),
                 r = as.character(getRversion())), class = "divulge_sitrep")
}

print.divulge_sitrep <- function(x, ...) {
  cat("R         ", x$r, "\njsonlite  ", x$jsonlite, "\n", sep = "")
  if (is.na(x$path)) {
    cat("divulge   not found. Set options(divulge.path = \"/path/to/divulge\") or the variable DIVULGE.\n")
  } else {
    cat("divulge   ", x$version, " (", x$path, ")\n", sep = "")
  }
  invisible(x)
}

"""What has been released about which data, by whom and why: a database, its audit trail, its queue of work.

Open one with `open_ledger`; read in `ledger.reading()`, write in `ledger.writing()`. What can be done is in `workflow`
and `releases` (people), `jobs` (workers), `datasets` and `people` (custodians, administrators); who may do it, in
`states`; lists to look at, in `queries`. SQLAlchemy takes a while to import, so nothing is imported here.
"""

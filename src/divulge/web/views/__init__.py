"""The pages: get what is asked for, call one function of the ledger, show a page or go to one."""

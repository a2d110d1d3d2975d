"""Tests of the virtual deck's layouts, including layouts that another package adds."""

"""Tests of device nodes behind which emulated chips answer."""

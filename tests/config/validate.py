"""Validates TOML files against a JSON Schema: validate.py SCHEMA FILE...

Prints a line for each file, `valid` or what is wrong first.
"""
import json
import sys
import tomllib

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
kind = jsonschema.Draft202012Validator
kind.check_schema(schema)
validator = kind(schema)
for name in sys.argv[2:]:
    with open(name, "rb") as file:
        content = tomllib.load(file)
    fault = next(validator.iter_errors(content), None)
    print("valid" if fault is None else fault.message.splitlines()[0])

"""Every rule holds, and would be seen to be broken."""
import functools

import pytest

from rules import REPOSITORY, all_rules

RULES = all_rules()
PLANTS = [(name, plant) for name, rule in RULES.items() for plant in rule.PLANTS]


@functools.cache
def found_in_the_tree(name):
    return RULES[name].find(REPOSITORY)


@pytest.mark.parametrize("name", RULES)
def test_tree_keeps_the_rule(name):
    found = found_in_the_tree(name)
    assert not found, f"{name}:\n" + "\n".join(found)


@pytest.mark.parametrize("name, plant", PLANTS, ids=[f"{n}-{p.__name__}" for n, p in PLANTS])
def test_planted_violation_is_caught(name, plant, copy):
    plant(copy)
    assert set(RULES[name].find(copy)) - set(found_in_the_tree(name))


def test_every_rule_has_a_plant():
    assert not [name for name, rule in RULES.items() if not rule.PLANTS]

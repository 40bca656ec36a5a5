"""Every rule holds, and would be seen to be broken."""
import pytest

from rules import REPOSITORY, all_rules

RULES = all_rules()
PLANTS = [(name, plant) for name, rule in RULES.items() for plant in rule.PLANTS]


@pytest.mark.parametrize("name", RULES)
def test_tree_keeps_the_rule(name):
    found = RULES[name].find(REPOSITORY)
    assert not found, f"{name}:\n" + "\n".join(found)


@pytest.mark.parametrize("name, plant", PLANTS, ids=[f"{n}-{p.__name__}" for n, p in PLANTS])
def test_planted_violation_is_caught(name, plant, copy):
    before = set(RULES[name].find(copy))
    plant(copy)
    assert set(RULES[name].find(copy)) - before


def test_every_rule_has_a_plant():
    assert not [name for name, rule in RULES.items() if not rule.PLANTS]

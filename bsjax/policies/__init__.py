"""Hunters: pure functions from an observation to the next cell, by name in a registry."""

from bsjax.policies import heatmap as heatmap
from bsjax.policies import hunt as hunt
from bsjax.policies import over as over
from bsjax.policies import random as random
from bsjax.policies import rollout as rollout
from bsjax.policies import strategies as strategies
from bsjax.policies.base import Policy as Policy
from bsjax.policies.base import describe as describe
from bsjax.policies.base import make as make
from bsjax.policies.base import names as names
from bsjax.policies.base import register as register

"""What needs judgement: plan, extract facts, compare, summarise, label and answer."""

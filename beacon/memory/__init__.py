"""What is kept in mind: topics, profiles, tiers, importance, consolidation, forgetting and ambient recall."""

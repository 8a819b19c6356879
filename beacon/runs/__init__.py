"""What happens when: phases, drafts, gates, schedules, worker and notifications."""

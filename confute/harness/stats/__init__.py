"""The statistics of a report: proportions, clusters, pairs, rankings and times to success."""

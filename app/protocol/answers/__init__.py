"""Results of requests: content blocks, links, tasks, comparisons."""

"""The same measures as questions to DuckDB."""

from psvr.results.figures import WINDOW

PUB = "run, origin, boot, sequence"

LINK_LOAD = """
SELECT run, node, peer, count(*) AS messages FROM trace WHERE event = 'sent' AND sequence IS NOT NULL GROUP BY ALL"""

PUBLICATIONS = f"""
SELECT {PUB}, min(clock) AS clock, min(channel) AS channel, min(time) FILTER (event = 'published') AS time,
    count(*) FILTER (event = 'sent') AS messages, count(*) FILTER (event = 'received') AS receptions,
    count(*) FILTER (event = 'delivered') AS deliveries, count(*) FILTER (event = 'dropped') AS drops
FROM trace WHERE sequence IS NOT NULL GROUP BY {PUB} HAVING min(time) FILTER (event = 'published') IS NOT NULL"""

DELIVERY = f"""
WITH publications AS ({PUBLICATIONS}),
runs AS (SELECT run, min(clock) AS clock, bool_or(event = 'subscribed') AS known,
    count(*) FILTER (event = 'fault') AS faults FROM trace GROUP BY run),
sent AS (SELECT run, count(*) AS published, sum(messages)::BIGINT AS messages FROM publications GROUP BY run),
numbered AS (SELECT {PUB}, node, time, hops,
    row_number() OVER (PARTITION BY {PUB}, node ORDER BY time, hops NULLS FIRST) AS copy
    FROM trace WHERE event = 'delivered'),
first AS (SELECT {PUB}, node, max(copy) AS copies, min(time) AS time, min_by(hops, copy) AS hops
    FROM numbered GROUP BY {PUB}, node),
spans AS (SELECT run, node, channel, time AS begin, event, min(time) FILTER (event = 'unsubscribed')
        OVER (PARTITION BY run, node, channel ORDER BY time, event
        ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS end
    FROM trace WHERE event IN ('subscribed', 'unsubscribed')),
expected AS (SELECT DISTINCT {PUB}, spans.node FROM trace JOIN spans USING (run, channel)
    WHERE trace.event = 'published' AND spans.event = 'subscribed' AND spans.node <> trace.origin
    AND spans.begin < trace.time AND (spans.end IS NULL OR spans.end > trace.time + {WINDOW})),
pairs AS (SELECT run, node, origin, known, copies, first.hops, first.time - publications.time AS latency, wanted,
        copies IS NOT NULL AND CASE WHEN known THEN wanted IS NOT NULL ELSE node <> origin END AS good
    FROM first FULL JOIN (SELECT *, true AS wanted FROM expected) USING (run, origin, boot, sequence, node)
    JOIN publications USING (run, origin, boot, sequence) JOIN runs USING (run)),
sums AS (SELECT run, count(wanted) AS expected, count(*) FILTER (good) AS delivered,
        coalesce(sum(copies - 1), 0)::BIGINT AS duplicates, coalesce(sum(hops) FILTER (good), 0)::BIGINT AS hops_sum,
        coalesce(sum(latency) FILTER (good), 0)::BIGINT AS latency_us_sum,
        quantile_cont(latency, 0.5) FILTER (good) AS latency_us_p50,
        quantile_cont(latency, 0.99) FILTER (good) AS latency_us_p99
    FROM pairs GROUP BY run),
lengths AS (SELECT run, hops, count(*) AS number FROM pairs WHERE good AND hops IS NOT NULL GROUP BY run, hops),
histogram AS (SELECT run, list(coalesce(number, 0) ORDER BY hops) AS hops
    FROM (SELECT run, unnest(range(max(hops) + 1)) AS hops FROM lengths GROUP BY run)
    LEFT JOIN lengths USING (run, hops)
    GROUP BY run)
SELECT run, clock, coalesce(published, 0) AS published, coalesce(messages, 0) AS messages,
    CASE WHEN known THEN coalesce(expected, 0) END AS expected, coalesce(delivered, 0) AS delivered,
    coalesce(duplicates, 0) AS duplicates, coalesce(histogram.hops, []) AS hops, coalesce(hops_sum, 0) AS hops_sum,
    coalesce(latency_us_sum, 0) AS latency_us_sum, latency_us_p50, latency_us_p99, faults
FROM runs LEFT JOIN sent USING (run) LEFT JOIN sums USING (run) LEFT JOIN histogram USING (run)"""

QUERIES = {"link_load": LINK_LOAD, "publications": PUBLICATIONS, "delivery": DELIVERY}

/// A named figure with its samples, as monitors collect it.
/// - Source: the Prometheus text exposition format, version 0.0.4.
package struct Metric: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        /// Never falls, except to 0 at a restart; its name ends in `_total`.
        case counter
        case gauge
        case histogram
        case untyped
    }

    package struct Label: Sendable, Hashable {
        let name: String
        let value: String

        package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }
    }

    package struct Sample: Sendable, Hashable {
        /// What follows the metric's name: `_bucket`, `_sum`, `_count`; else empty.
        let suffix: String
        let labels: [Label]
        let value: Double

        package init(_ value: Double, suffix: String = "", labels: [Label] = []) {
            (self.suffix, self.labels, self.value) = (suffix, labels, value)
        }
    }

    let name: String
    let kind: Kind
    let help: String
    let samples: [Sample]

    package init(_ name: String, _ kind: Kind, help: String, _ samples: [Sample]) {
        (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
    }

    package init(_ name: String, _ kind: Kind, help: String, _ value: Double) {
        self.init(name, kind, help: help, [Sample(value)])
    }

    /// A histogram.
    /// - Parameter buckets: For each limit, how many values it holds, the smaller ones included; in rising order.
    package init(
        histogram name: String,
        help: String,
        buckets: [(limit: Double, count: Int)],
        sum: Double,
        count: Int
    ) {
        let limited = buckets.map { bucket in
            Sample(
                Double(bucket.count),
                suffix: "_bucket",
                labels: [Label("le", MetricsText.number(bucket.limit))]
            )
        }
        let rest = [
            Sample(Double(count), suffix: "_bucket", labels: [Label("le", "+Inf")]),
            Sample(sum, suffix: "_sum"), Sample(Double(count), suffix: "_count"),
        ]
        self.init(name, .histogram, help: help, limited + rest)
    }
}

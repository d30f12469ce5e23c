/// Metrics as Prometheus reads them.
/// - Source: the Prometheus text exposition format, version 0.0.4.
package enum MetricsText {
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package static func text(of metrics: [Metric]) -> String {
        var text = ""
        for metric in metrics where !metric.samples.isEmpty {
            text += "# HELP \(metric.name) \(escaped(metric.help, quotes: false))\n"
            text += "# TYPE \(metric.name) \(metric.kind.rawValue)\n"
            for sample in metric.samples {
                text += metric.name + sample.suffix
                if !sample.labels.isEmpty {
                    let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
                    text += "{" + labels.joined(separator: ",") + "}"
                }
                text += " \(number(sample.value))\n"
            }
        }
        return text
    }

    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int(exactly: value).map(String.init) ?? String(value)
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        let lines = text.replacing("\\", with: "\\\\")
            .replacing("\r\n", with: "\n").replacing("\n", with: "\\n")
        return quotes ? lines.replacing("\"", with: "\\\"") : lines
    }
}

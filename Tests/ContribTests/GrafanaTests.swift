import JSON
import TestSupport
import Testing
import Web

/// contrib/grafana/trilateral.json against the metrics that a node has.
struct GrafanaTests {
    private let dashboard: JSONValue

    init() throws { dashboard = try Contrib.json("contrib/grafana/trilateral.json") }

    private var panels: [JSONValue] { dashboard["panels"]?.array ?? [] }

    /// The queries of all panels, and of the variables.
    private var queries: [String] {
        let variables = dashboard["templating"]?["list"]?.array ?? []
        return panels.flatMap { $0["targets"]?.array ?? [] }.compactMap { $0["expr"]?.string }
            + variables.compactMap { $0["definition"]?.string }
    }

    private static func names(in query: String) -> [String] {
        query.matches(of: /trilateral_[a-z_]+/).map { String($0.output) }
    }

    @Test func `the dashboard names only metrics that exist`() {
        #expect(queries.count > 25)
        for query in queries {
            let names = Self.names(in: query)
            #expect(!names.isEmpty, "\(query)")
            for name in names { #expect(HealthMetrics.allNames.contains(name), "\(name)") }
        }
    }

    @Test func `the rate of nothing but counters and histograms is asked for`() {
        for query in queries where query.contains("rate(") || query.contains("increase(") {
            for name in Self.names(in: query) {
                #expect(name.hasSuffix("_total") || name.hasSuffix("_bucket"), "\(query)")
            }
        }
    }

    @Test(.enabled(if: Promtool.isExpected)) func `Prometheus can read every query`() async throws {
        // What Grafana fills in.
        let filled = queries.filter { !$0.hasPrefix("label_values(") }
            .map { $0.replacing("$__rate_interval", with: "1m").replacing("$instance", with: ".*") }
        #expect(try await Promtool.problem(withQueries: filled) == nil)
        #expect(try await Promtool.problem(withQueries: filled + ["rate(trilateral_healthy)"]) != nil)
    }

    @Test func `panels have titles and queries, and do not lie upon each other`() throws {
        var taken: Set<[Int]> = []
        for panel in panels {
            let title = try #require(panel["title"]?.string)
            #expect(panel["targets"]?.array?.isEmpty == false, "\(title)")
            let place = try #require(panel["gridPos"])
            func number(_ name: String) throws -> Int { try #require(place[name]?.integer) }
            for x in try number("x")..<(number("x") + number("w")) {
                for y in try number("y")..<(number("y") + number("h")) {
                    #expect(x < 24 && taken.insert([x, y]).inserted, "\(title)")
                }
            }
        }
    }
}

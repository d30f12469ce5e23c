import Testing
import Yams

/// contrib/homeassistant/dashboard.yaml against the cards of Home Assistant 2026.11 and the entities of discovery.
struct DashboardTests {
    private let board: Node

    init() throws { board = try Contrib.yaml("contrib/homeassistant/dashboard.yaml") }

    private var views: [Node] { board.members["views"]?.elements ?? [] }
    private var sections: [Node] { views.flatMap { $0.members["sections"]?.elements ?? [] } }
    private var cards: [Node] { sections.flatMap { $0.members["cards"]?.elements ?? [] } }

    private static let cardTypes: [String: Keys] = [
        "heading": Keys(
            ["type", "heading"],
            ["icon", "heading_style", "badges", "grid_options", "visibility"]
        ),
        "picture-entity": Keys(
            ["type", "entity"],
            ["name", "show_name", "show_state", "aspect_ratio", "fit_mode", "tap_action", "grid_options"]
        ),
        "tile": Keys(
            ["type", "entity"],
            [
                "name", "icon", "color", "vertical", "hide_state", "state_content", "features",
                "features_position",
                "tap_action", "icon_tap_action", "grid_options",
            ]
        ),
        "markdown": Keys(["type", "content"], ["title", "visibility", "grid_options"]),
        "logbook": Keys(["type", "target"], ["title", "hours_to_show", "theme", "grid_options"]),
    ]

    /// Features of a tile, and of which platform.
    private static let features = ["light-brightness": "light", "select-options": "select"]

    @Test func `it has views of sections of cards, with known keys only`() throws {
        #expect(Keys(["title", "views"]).problem(board.members.keys) == nil)
        #expect(views.count == 1 && sections.count == 3 && cards.count > 15)
        let view = Keys(["title", "path", "type", "sections"], ["icon", "max_columns"])
        for node in views {
            #expect(view.problem(node.members.keys) == nil)
            #expect(node.members["type"]?.string == "sections")
        }
        for node in sections {
            #expect(Keys(["type", "cards"]).problem(node.members.keys) == nil)
            #expect(node.members["type"]?.string == "grid")
        }
        for card in cards {
            let type = card.members["type"]?.string ?? ""
            let keys = try #require(Self.cardTypes[type], "\(type)")
            #expect(keys.problem(card.members.keys) == nil, "\(type)")
            #expect(
                Keys([], ["columns", "rows"]).problem((card.members["grid_options"]?.members ?? [:]).keys)
                    == nil
            )
            for condition in card.members["visibility"]?.elements ?? [] {
                #expect(Keys(["condition", "entity", "state"]).problem(condition.members.keys) == nil)
            }
            for feature in card.members["features"]?.elements ?? [] {
                let name = feature.members["type"]?.string ?? ""
                let platform = try #require(Self.features[name], "\(name)")
                #expect(card.members["entity"]?.string?.hasPrefix("\(platform).") == true, "\(name)")
            }
        }
    }

    @Test func `every entity is one that discovery makes`() throws {
        let announced = try Announced.entities
        let single = cards.flatMap(\.everything).compactMap { $0.members["entity"]?.string }
        let targets = cards.flatMap { $0.members["target"]?.members["entity_id"]?.elements ?? [] }.compactMap(
            \.string
        )
        let texts = cards.compactMap { $0.members["content"]?.string }
        let named = texts.flatMap { $0.matches(of: /'([a-z_]+\.[a-z0-9_]+)'/).map { String($0.1) } }
        #expect(!named.isEmpty)
        let entities = single + targets + named
        #expect(entities.count > 18)
        for entity in entities { #expect(announced.contains(entity), "\(entity)") }
    }

    @Test func `it shows the map, the nearby light, and the lights of every zone`() throws {
        let shown = Set(cards.compactMap { $0.members["entity"]?.string })
        let lights = try Announced.entities.filter { $0.hasSuffix("_lights") }
        #expect(lights.count == 4)
        #expect(
            shown.isSuperset(of: lights.union(["image.trilateral_demo_map", "light.trilateral_demo_nearby"]))
        )
    }

    private func cards(of entity: String) -> [Node] {
        cards.filter { $0.members["entity"]?.string == entity }
    }

    @Test func `the problem has the full width, and its message a card that cuts nothing off`() throws {
        let problem = "binary_sensor.trilateral_demo_problem"
        let tile = try #require(cards(of: problem).first)
        #expect(tile.members["grid_options"]?.members["columns"]?.string == "full")
        #expect(tile.members["state_content"] == nil)
        let text = try #require(cards.first { $0.members["content"]?.string?.contains("'message'") == true })
        let condition = try #require(text.members["visibility"]?.elements.first)
        #expect(condition.members["entity"]?.string == problem)
        #expect(condition.members["state"]?.string == "on")
    }

    @Test func `no number is a bare attribute, which has no unit`() {
        for card in cards {
            let content = card.members["state_content"]?.elements.compactMap(\.string) ?? []
            #expect(!content.contains { $0.hasSuffix("_m") || $0.hasSuffix("_deg") })
        }
        #expect(cards(of: "sensor.trilateral_demo_distance").count == 1)
    }

    @Test func `buttons show no state, and are pressed by a tap`() {
        let buttons = cards.filter { $0.members["entity"]?.string?.hasPrefix("button.") == true }
        #expect(!buttons.isEmpty)
        for button in buttons {
            #expect(button.members["hide_state"]?.bool == true)
            for key in ["tap_action", "icon_tap_action"] {
                let action = button.members[key]?.members ?? [:]
                #expect(action["action"]?.string == "perform-action")
                #expect(action["perform_action"]?.string == "button.press")
                #expect(action["target"]?.members["entity_id"]?.string == button.members["entity"]?.string)
            }
        }
    }

    @Test func `the logbook has no events: it would not say of what they are`() {
        let entities = cards.filter { $0.members["type"]?.string == "logbook" }
            .flatMap { $0.members["target"]?.members["entity_id"]?.elements ?? [] }.compactMap(\.string)
        #expect(entities.contains("sensor.trilateral_demo_zone"))
        #expect(!entities.contains { $0.hasPrefix("event.") })
    }
}

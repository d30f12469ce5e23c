import JSON
import Settings
import Testing
import TrilateralApp

struct DemoScreenTests {
    @Test(
        arguments: [
            ([:], "no environment › between rooms · nothing near"),
            (
                ["environment": ["id": .null], "zone": ["id": .null]],
                "no environment › between rooms · nothing near"
            ),
            (
                [
                    "environment": ["name": "Flat"], "zone": ["name": "Hall"],
                    "nearby": ["id": .null, "state": .null],
                ],
                "Flat › Hall · nothing near"
            ),
            (
                ["environment": ["name": "Flat"], "nearby": ["name": "Plant"]],
                "Flat › between rooms · near Plant"
            ),
            (
                [
                    "environment": ["name": "Flat"], "zone": ["name": "Hall"],
                    "nearby": ["name": "Lamp", "state": "ON", "color_name": "red", "brightness": 128],
                ], "Flat › Hall · near Lamp: ON, red, 50 %"
            ),
            (
                ["nearby": ["name": "Lamp", "state": "OFF", "brightness": 0]],
                "no environment › between rooms · near Lamp: OFF, 0 %"
            ),
            ("text", "no environment › between rooms · nothing near"),
        ] as [(JSONValue, String)]
    )
    func `one line tells where the walker is and what is near`(state: JSONValue, line: String) {
        #expect(DemoScreen.line(state) == line)
    }

    private func introduction(
        _ broker: String,
        isPrivate: Bool = false,
        isKept: Bool = false,
        flare: String = "127.0.0.1:0",
        webPort: Int? = 4002,
        link: String? = "http://127.0.0.1:4002/sign-in?link=tll_x",
        inUse: [Int] = []
    ) throws -> String {
        let screen = DemoScreen(
            broker: try #require(HostAndPort(broker)),
            isPrivate: isPrivate,
            isKept: isKept,
            root: "trilateral/demo",
            folder: "/tmp/demo/",
            web: HostAndPort(host: "127.0.0.1", port: 0),
            flare: try #require(HostAndPort(flare)),
            inUse: inUse,
            isTerminal: false
        )
        return screen.introduction(flarePort: 4001, webPort: webPort, link: link)
    }

    @Test func `the introduction tells the true ports and commands that work as they stand`() throws {
        let text = try introduction("localhost:1883")
        #expect(text.contains("http://127.0.0.1:4001/environments\n"))
        #expect(text.contains("http://127.0.0.1:4002/\n"))
        #expect(text.contains("admin    http://127.0.0.1:4002/sign-in?link=tll_x\n"))
        #expect(text.contains("another one: trilateral sign-in --state '/tmp/demo/')\n"))
        #expect(text.contains("state    /tmp/demo/\n"))
        #expect(text.contains("  mosquitto_sub -t 'trilateral/demo/state'\n"))
        #expect(
            text.contains(
                "  mosquitto_pub -t 'trilateral/demo/nearby/set' -m '{\"state\":\"ON\",\"color\":\"red\"}'\n"
            )
        )
        #expect(!text.contains("private"))
        #expect(text.contains("clears everything that it published"))
        #expect(text.hasSuffix("Now:\n"))
    }

    @Test func `the introduction says that the page is not served`() throws {
        let text = try introduction("localhost:1883", webPort: nil, link: nil)
        for name in ["web  ", "admin"] {
            #expect(text.contains("\(name)    not served; the reason stands above\n"))
        }
        #expect(text.contains("http://127.0.0.1:4001/environments\n"))
    }

    @Test func `a usual port that another program has is named beside the one in its place`() throws {
        let text = try introduction("localhost:1883", inUse: [18_080])
        #expect(text.contains("web      http://127.0.0.1:4002/   (port 18080 is in use)\n"))
        #expect(text.contains("http://127.0.0.1:4001/environments\n"))
    }

    @Test func `another broker stands in the commands`() throws {
        let text = try introduction("127.0.0.1:40000", isPrivate: true, flare: "[::1]:0")
        #expect(text.contains("broker   127.0.0.1:40000   (private, ends with the demo)\n"))
        #expect(text.contains("mosquitto_sub -h 127.0.0.1 -p 40000 -t "))
        #expect(text.contains("http://[::1]:4001/environments\n"))
    }

    @Test func `a demo that is kept says how to clear it`() throws {
        #expect(
            try introduction("localhost:1883", isKept: true).contains("\"trilateral forget --node demo\"")
        )
        let other = try introduction("broker:1884", isKept: true)
        #expect(other.contains("\"trilateral forget --node demo --mqtt broker:1884\" clears it"))
    }
}

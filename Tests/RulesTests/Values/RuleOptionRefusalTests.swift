import JSON
import Rules
import Testing
import Things

/// Errors of the options, in the words of the command line.
extension RuleOptionsTests {
    private static let wrong: [(String, @Sendable (inout RuleOptions) -> Void)] = [
        (
            "--when",
            {
                $0.thing = nil; $0.steps.append(.target("a"))
            }
        ), ("--edge", { $0.edge = "falling" }), ("--edge", { $0.edge = "rising" }),
        (
            "--for",
            {
                $0.when = ["t>1"]; $0.hold = "-1"
            }
        ), ("--for", { $0.hold = "x" }),
        (
            "--for",
            {
                $0.when = []; $0.hold = "5"
            }
        ),
        (
            "--margin",
            {
                $0.when = ["t==1"]; $0.margin = "5"
            }
        ), ("--device", { $0.device = ["lost"] }),
        ("--threshold", { $0.threshold = "400" }),
        (
            "--threshold",
            {
                $0.device = ["ip_change"]; $0.threshold = "4"
            }
        ),
        ("--start", { $0.start = "8:00" }), ("--end", { $0.end = "08:00" }),
        (
            "--end",
            {
                $0.start = "08:00"; $0.end = "25"
            }
        ),
        (
            "--days",
            {
                $0.start = "08:00"; $0.days = "0"
            }
        ),
        (
            "--days",
            {
                $0.start = "08:00"; $0.days = "1,,2"
            }
        ),
        (
            "--days",
            {
                $0.start = "08:00"; $0.days = "mon-fri-sun"
            }
        ),
        ("--cron", { $0.cron = ["* *"] }), ("--once", { $0.once = ["tomorrow"] }),
        ("--missed", { $0.missed = "run" }),
        (
            "--missed",
            {
                $0.cron = ["0 7 * * *"]; $0.missed = "maybe"
            }
        ),
        ("--enter", { $0.enter = ["kitchen"] }), ("--enter", { $0.enter = ["geo:1,2"] }),
        ("--enter", { $0.enter = ["geo:91,2,50"] }),
        ("--exit", { $0.exit = ["beacon:x"] }), ("--exit", { $0.exit = ["zone:"] }),
        ("--rssi", { $0.rssi = "-65" }), ("--gone", { $0.gone = "10" }),
        ("--rssi", { ($0.enter, $0.rssi) = (["zone:kitchen"], "-65") }),
        ("--rssi", { ($0.enter, $0.rssi) = ([RuleOptionsTests.beacon], "loud") }),
        ("--rssi", { ($0.enter, $0.rssi) = ([RuleOptionsTests.beacon], "-300") }),
        ("--gone", { ($0.exit, $0.gone) = ([RuleOptionsTests.beacon], "5") }),
        ("--near", { $0.near = [""] }),
        ("--level", { $0.level = ["x"] }), ("--between", { $0.between = ["08:00"] }),
        ("--between", { $0.between = ["08:00-20"] }),
        ("--set", { $0.steps = [.set("on")] }), ("--set", { $0.steps = [.set("=1")] }),
        ("--set", { $0.steps = [.set("end:on=1")] }),
        ("--target", { $0.steps.append(.target("planet:x")) }),
        ("--target", { $0.steps = [.target("a"), .set("on=1"), .target("b")] }),
        ("--from", { $0.from = "2026-12-20" }), ("--until", { $0.until = "2026-12-20" }),
        (
            "--from",
            {
                $0.start = "08:00"; $0.from = "20.12.2026"
            }
        ),
        (
            "--until",
            {
                $0.start = "08:00"; $0.from = "2026-12-20"; $0.until = "2026-12-19"
            }
        ),
        ("--publish", { $0.steps = [.publish("{\"a\":")] }),
        ("--publish", { $0.steps = [.publish("null")] }),
        (
            "--target",
            {
                $0.steps = [.notify("user:a"), .target("x")]
            }
        ),
        ("--ceiling", { $0.steps = [.ceiling("HIGH")] }), ("--notify", { $0.steps = [.notify("alice")] }),
        ("--channel", { $0.channels = ["email"] }),
        (
            "--channel",
            {
                $0.steps = [.notify("user:a")]; $0.channels = ["fax"]
            }
        ),
        ("--text", { $0.text = "x" }),
        (
            "--text",
            {
                $0.steps = [.notify("user:a")]; $0.text = "{x}"
            }
        ),
        ("--title", { $0.title = " " }), ("--pause", { $0.pause = "x" }), ("--pause", { $0.pause = "-1" }),
    ]

    @Test func `a refusal names the option`() {
        for (index, (option, change)) in Self.wrong.enumerated() {
            let refusal = #expect(throws: Refusal.self) { try options(change).rule() }
            #expect(refusal?.field == option, "\(index): \(refusal?.message ?? "")")
            #expect(refusal?.message.hasPrefix(option) == true, "\(index): \(refusal?.message ?? "")")
        }
    }

    private static let given:
        [(option: String, value: String, change: @Sendable (inout RuleOptions) -> Void)] =
            [
                ("--start", "25:00", { $0.start = "25:00" }),
                ("--start", "23:60:00", { $0.start = "23:60:00" }),
                ("--end", "24:00", { ($0.start, $0.end) = ("08:00", "24:00") }),
                ("--from", "20.12.2026", { ($0.start, $0.from) = ("08:00", "20.12.2026") }),
                ("--cron", "0 7 * *", { $0.cron = ["0 7 * *"] }),
                ("--once", "tomorrow", { $0.once = ["tomorrow"] }),
                ("--enter", "x", { $0.enter = ["beacon:x"] }), ("--level", "high", { $0.level = ["high"] }),
                ("--for", "-1", { ($0.when, $0.hold) = (["t>1"], "-1") }),
                ("--pause", "-1", { $0.pause = "-1" }),
            ]

    @Test func `a refusal has the value as it was given, and no member of JSON`() {
        for (option, value, change) in Self.given {
            let refusal = #expect(throws: Refusal.self) { try options(change).rule() }
            let message = refusal?.message ?? ""
            #expect(message.hasPrefix(option) && message.contains(value), "\(message)")
            for word in ["when[", "then[", "EachDay", "Date"] {
                #expect(!message.contains(word), "\(message)")
            }
        }
    }

    @Test(
        arguments: [
            (
                "when[2].at must be in the future, is 2020", "when[2].at",
                "--once must be in the future, is 2020"
            ),
            ("when[0].thing: there is no thing \"x\"", "when[0].thing", "--thing: there is no thing \"x\""),
            ("when[1].threshold is wrong", "when[1].threshold", "--threshold is wrong"),
            ("there is no zone \"x\"", "then[1].target", "--target: there is no zone \"x\""),
            // What is before the first target is for the thing.
            ("then[0].target: no", "then[0].target", "--thing: no"),
            ("on must be ON or OFF", "then[0]", "--set: on must be ON or OFF"),
            ("timeZone: unknown", "when[2]", "--once: timeZone: unknown"),
            ("when has too many", "when", "--when, --device and --once has too many"),
            ("too large", nil, "too large"), ("as is wrong", "as", "as is wrong"),
        ] as [(String, String?, String)]
    )
    func `an error that the daemon finds names the option, too`(message: String, field: String?, told: String)
    {
        let all = options {
            ($0.when, $0.once, $0.device) = (["on"], ["2020-01-01T00:00:00Z"], ["on_connect"])
            ($0.threshold, $0.steps) = ("300", [.set("on=1"), .target("zone:x"), .set("on=0")])
        }
        #expect(all.sentence(message, about: field) == told)
    }

    @Test func `an error of too many parts names the options that they come from`() {
        let refusal = #expect(throws: Refusal.self) {
            try options { $0.cron = Array(repeating: "0 7 * * *", count: 10) }.rule()
        }
        #expect(refusal?.message.hasPrefix("--when and --cron must be a list of 1 to 10") == true)
    }

    @Test func `dates that contradict each other are named as options`() {
        let refusal = #expect(throws: Refusal.self) {
            try options { ($0.start, $0.from, $0.until) = ("08:00", "2026-12-20", "2026-12-19") }.rule()
        }
        #expect(
            refusal?.message
                == "--until must not be before --from, which is 2026-12-20; is 2026-12-19"
        )
    }
}

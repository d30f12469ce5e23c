import JSON
import MQTT
import Settings
import Testing
import Text
import TrilateralApp

struct DoctorReportTests {
    private let report = DoctorReport([
        DoctorVerdict("clock", .ok, "it is right"),
        DoctorVerdict("disk", .problem, "it is\nfull", advice: "make room"),
    ])

    @Test func `a verdict is one line with its level, its check and what to do`() {
        #expect(
            report.lines == [
                "ok       clock: it is right", "problem  disk: it is full. To do: make room",
                "1 problem, no warnings",
            ]
        )
    }

    @Test func `a question ends the sentence before what to do`() {
        let verdict = DoctorVerdict("time zone", .problem, "did you mean \"UTC\"?", advice: "correct it")
        #expect(verdict.line == "problem  time zone: did you mean \"UTC\"? To do: correct it")
    }

    @Test func `as JSON a report says whether all is well`() {
        #expect(report.json["ok"] == false)
        #expect(report.json["verdicts"]?.array?.last?["advice"] == "make room")
        #expect(DoctorReport([DoctorVerdict("disk", .warning, "small")]).json["ok"] == true)
    }

    @Test(.timeLimit(.minutes(1)))
    func `checks run side by side, and one that hangs is named and left behind`() async {
        let (never, port) = AsyncStream.makeStream(of: Void.self)
        let start = ContinuousClock.now
        let found = await DoctorCheck.run([
            DoctorCheck(
                "broker",
                limit: .milliseconds(100),
                waiting: {
                    for await _ in never {}
                    return []
                }
            ),
            DoctorCheck("clock", blocking: { [DoctorVerdict("clock", .ok, "it is right")] }),
        ])
        #expect(found.map(\.check) == ["broker", "clock"])
        #expect(found.first?.level == .problem && found.first?.text.contains("0.1 s") == true)
        #expect(start.duration(to: .now) < .seconds(20))
        port.finish()
    }

    @Test func `secrets are left out of a bundle, wherever they stand`() {
        var configuration = TrilateralConfiguration()
        configuration.mqtt.password = Secret("mqtt-S3cret-1")
        configuration.flare.remote.token = Secret("flare-S3cret-2")
        let file = """
            mqtt:
              password: "file-S3cret-3"   # a mistake: the key does not exist
              token: file-S3cret-4 # another
              password_file: /etc/hostname
            """
        let secrets = DoctorSecrets(
            configuration,
            text: file,
            environment: ["TRILATERAL_MQTT_PASSWORD": "variable-S3cret-5", "HOME": "/home/anna"],
            more: ["service-S3cret-6"]
        )
        let user = SecretMask.tokenPrefix + "S3cret7abcdefghijklmnop"
        let url = "http://anna:S3cret-8@far.example:1234/x"
        let known = [
            "mqtt-S3cret-1", "flare-S3cret-2", "file-S3cret-3", "file-S3cret-4", "variable-S3cret-5",
            "service-S3cret-6", user, url,
        ]
        let bundle = DoctorBundle([
            .init("verdicts", known.map { "the broker says \($0)." }.joined(separator: "\n")),
            .init("configuration", file),
            .init("log", JSONValue.array(known.map { .string($0) }).text),
        ])
        let text = bundle.text(secrets)
        #expect(!text.contains("S3cret"), "\(text)")
        #expect(text.contains("far.example:1234/x") && text.contains("/etc/hostname"))
        #expect(text.contains("== log"))
    }

    @Test(arguments: [
        ("https://far.example/x?key=S3cret", "https://far.example/x?***"),
        ("http://far.example:1234?access_token=S3cret&y=S3cret", "http://far.example:1234?***"),
        ("https://far.example/#S3cret", "https://far.example/#***"),
        ("http://anna:S3cret@far.example/x?t=S3cret", "http://***@far.example/x?***"),
        ("http://anna:S3c/r?et@far.example:1234/x", "http://***@far.example:1234/x"),
        ("http://[2001:db8::1]:1234/x@y", "http://[2001:db8::1]:1234/x@y"),
        ("http://far.example/x@y", "http://far.example/x@y"),
    ])
    func `users and queries of addresses are left out, also of an address that is a mistake`(
        address: String,
        shown: String
    ) {
        let secrets = DoctorSecrets(TrilateralConfiguration())
        let text = secrets.masked("it must be an origin (is \"\(address)\"); correct \(address) in the file")
        #expect(text == "it must be an origin (is \"\(shown)\"); correct \(shown) in the file")
    }

    @Test func `a hint about the configuration is neither a warning nor a problem`() {
        var facts = ConfigurationFacts()
        facts.hints = ["web.proxies: 127.0.0.1/32 is this machine"]
        #expect(facts.verdicts.map(\.level) == [.ok, .hint])
    }
}

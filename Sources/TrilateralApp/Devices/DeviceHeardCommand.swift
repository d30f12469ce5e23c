import ArgumentParser
import Controller
import JSON
import People
import Sensing
import Text

struct DeviceHeardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "heard",
        abstract: "Listen for some seconds, and print what is heard and is no device.",
        discussion: """
            To find a phone or tag, call this twice: hold it far from the receivers first, and beside one of them the second \
            time. What has changed most since the last call comes first. The columns are id, kind, name, since when it was \
            heard, how many seconds ago it was heard last, and the level in dBm at each receiver with its change. A changing \
            address cannot be added: its phone needs an identity key. With "may change" nobody says whether the address \
            stays. What is heard is forgotten ten minutes after the last call.
            """
    )

    @Option(help: ArgumentHelp("How long to listen, 0 to 60; without it 20.", valueName: "seconds"))
    var seconds: Int?

    @OptionGroup var list: ListOption
    @OptionGroup var people: AdministrationOption

    private static let seconds = 0...60

    func validate() throws {
        if let seconds, !Self.seconds.contains(seconds) {
            throw ValidationError("--seconds must be 0 to 60 (is \(seconds))")
        }
    }

    func run() async throws {
        let seconds = seconds ?? 20
        if seconds > 0 { StandardError.tellPerson("Listening for \(seconds) s.") }
        let query = ["seconds": "\(seconds)"]
        let rows = try await people.ask(.get, ["heard"], query: query, needsDaemon: true)
        guard !list.json else { return try StandardOutput.print(rows.text) }
        if rows.array?.isEmpty != false {
            StandardError.tellPerson(
                "Nothing is heard that is no device. Is Bluetooth on here, or does a receiver run?"
            )
        }
        let now = RuntimeClock.now().wallMilliseconds
        try StandardOutput.print(
            TextTable(
                header: ["ID", "KIND", "NAME", "SINCE", "LAST", "LEVELS"],
                rows: (rows.array ?? []).map { row in
                    let levels = (row["levels"]?.array ?? []).map(Self.level).joined(separator: ", ")
                    let mark =
                        row["own"] == true
                        ? ", this daemon's own device" : row["may_change"] == true ? ", may change" : ""
                    return [
                        ListOption.text(row["id"] ?? .null), ListOption.text(row["kind"] ?? .null) + mark,
                        ListOption.text(row["name"] ?? .null),
                        LocalTime.ofThisMachine.clock(ListOption.text(row["since"] ?? .null)),
                        Self.seconds(since: row["last"], at: now), levels,
                    ]
                }
            )
        )
    }

    /// `3 s`.
    private static func seconds(since time: JSONValue?, at now: Int64) -> String {
        guard let time = time?.string.flatMap({ CivilTime($0) }) else { return "-" }
        return "\(max(0, now - time.milliseconds) / 1000) s"
    }

    /// `kitchen -60 (+12)`.
    private static func level(_ level: JSONValue) -> String {
        func whole(_ value: JSONValue?) -> Int? { value?.number.flatMap { Int(exactly: $0.rounded()) } }
        let rssi = whole(level["rssi"]).map { " \($0)" } ?? ""
        let change = whole(level["change"]).map { " (\($0 < 0 ? "" : "+")\($0))" } ?? ""
        return ListOption.text(level["receiver"] ?? .null) + rssi + change
    }
}

import Foundation
import JSON
import OperatingSystem
import TestSupport
import Testing

/// Profile files, from the command line to the broker.
@Suite(.enabled(if: Mosquitto.isExpected), .mosquitto, .timeLimit(.minutes(2))) struct ProfileTests {
    /// The draft's own thermostat in miniature: comments, a missing comma, an object that closes too early.
    private static let valve = """
        {
        "class": "AylaDevice",                // the generic class
        "managedProperties": [
          {"name": "target_temp", "control": "decimal_input", "notify": false, "schedule": true},
          {"name": "room_temp", "control": "readonly_text", "notify": true},
          {"name": "heating",
            "schedule": true
            "actions": [{"name": "heat_off", "value": 0}, {"name": "heat_on", "value": 1}]
          },
        ],
        },
        "name": "Radiator valve",
        "oemModel": "valve-1"
        },
        """

    private static let application = """
        {"version": "1", "name": "Heating", "applicationIdentifier": "org.example.heating",
         "sdkConfig": {"appSecret": "geheim-4711", "consoleLogLevel": "Debug"},
         "strings": {"de": {"heat_on": "Heizen", "app_name": "Heizung"}, "en": {"heat_on": "Heat"}},
         "devices": [{"class": "AylaDevice", "oemModel": "valve-1", "managedProperties": [
           {"name": "heating", "actions": [{"name": "heat_off", "value": 0}, {"name": "heat_on", "value": 1}]}]}]}
        """

    @Test func `lint names every problem with its place, and then each file`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.valve, to: "valve.json")
            try folder.write("{\"devices\": [}", to: "broken.json")
            let good = try await Program.run(["profile", "lint", folder.path("valve.json")], in: folder)
            let file = folder.path("valve.json")
            #expect(good.status == 0)
            let lines = good.output.split(separator: "\n").map(String.init)
            #expect(lines.count == 3, "\(good.output)")
            #expect(lines.first?.hasPrefix("\(file):7:21: warning: missing_comma: ") == true, "\(lines)")
            #expect(
                lines.dropFirst().first?.hasPrefix("\(file):11:1: warning: closed_early: ") == true,
                "\(lines)"
            )
            #expect(lines.last == "\(file): types 1, properties 3, errors 0, warnings 2")
            let bad = try await Program.run(["profile", "lint", folder.path("broken.json")], in: folder)
            #expect(bad.status == 65 && bad.output.contains(":1:14: error: bad_json: "), "\(bad.output)")
            #expect(bad.output.hasSuffix(": types 0, properties 0, errors 1, warnings 0\n"))
            let gone = try await Program.run(["profile", "lint", folder.path("gone.json")], in: folder)
            #expect(gone.status == 66 && gone.output.contains("gone.json cannot be read"))
            #expect(try await Program.run(["profile", "lint"], in: folder).status == 64)
            let json = try await Program.run(["profile", "lint", file, "--json"], in: folder)
            let document = try JSONValue(parsing: json.output)
            #expect(document["files"]?.array?.first?["properties"] == 3)
            #expect(document["problems"]?.array?.first?["code"] == "missing_comma")
        }
    }

    @Test func `show prints a line a profile, and a line a property`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.valve, to: "valve.json")
            let all = try await Program.run(["profile", "show"], in: folder)
            #expect(all.status == 0)
            #expect(all.output.columns.contains("blind\t-\tbuilt-in\t3\n"), "\(all.output)")
            #expect(all.output.split(separator: "\n").count == 21)
            let file = folder.path("valve.json")
            let valve = try await Program.run(["profile", "show", "valve-1", "--file", file], in: folder)
            #expect(valve.status == 0)
            #expect(
                valve.output.columns.hasSuffix(
                    """
                    target_temp\trw\tdecimal\t-\t-\t-\t-\t-\t-\tdecimal_input\tnumber\t-\tschedule
                    room_temp\tr\t-\t-\t-\t-\t-\t-\t-\treadonly_text\tsensor\t-\tnotify
                    heating\trw\tinteger\t-\t-\t-\t-\tON,OFF,TOGGLE,true,false,heat_off,heat_on\t\
                    heat_off=0,heat_on=1\tswitch\tswitch\t-\tschedule

                    """
                ),
                "\(valve.output)"
            )
            let thermostat = try await Program.run(["profile", "show", "thermostat"], in: folder)
            for start in [
                "setpoint\trw\tdecimal\t5\t35\t0.5\t°C\t-\t-\t", "temperature\tr\t-\t-\t-\t-\t°C\t-\t-\t",
                "mode\trw\ttext\t-\t-\t-\t-\toff,heat,cool,auto\toff,heat,cool,auto\t",
            ] {
                #expect(thermostat.output.columns.contains(start), "\(thermostat.output)")
            }
            let unknown = try await Program.run(["profile", "show", "blnd"], in: folder)
            #expect(
                unknown.status == 65 && unknown.output.contains("did you mean \"blind\"?"),
                "\(unknown.output)"
            )
        }
    }

    @Test func `convert keeps all values, and says what it leaves out`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.valve, to: "valve.json")
            try folder.write(Self.application, to: "amap.json")
            let (valve, yaml) = (folder.path("valve.json"), folder.path("t.yaml"))
            let end = try await Program.run(["profile", "convert", valve, "--output", yaml], in: folder)
            #expect(end.status == 0 && end.output.contains("comments are not kept"), "\(end.output)")
            let lint = try await Program.run(["profile", "lint", yaml], in: folder)
            #expect(lint.status == 0)
            #expect(lint.output == "\(yaml): types 1, properties 3, errors 0, warnings 0\n")
            let json = try await Program.run(
                ["profile", "convert", folder.path("amap.json"), "--json"],
                in: folder
            )
            #expect(json.status == 0 && !json.output.contains("geheim"), "\(json.output)")
            #expect(json.output.contains("appSecret is left out"))
            let itself = try await Program.run(["profile", "convert", valve, "--output", valve], in: folder)
            #expect(itself.status == 64 && folder.read("valve.json") == Self.valve)
            try folder.write("{\"devices\": 1}", to: "bad.json")
            let bad = try await Program.run(
                ["profile", "convert", folder.path("bad.json"), "--output", folder.path("b.yaml")],
                in: folder
            )
            #expect(bad.status == 65 && folder.read("b.yaml").isEmpty, "\(bad.output)")
        }
    }

    @Test func `convert replaces no device or pipe`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.valve, to: "valve.json")
            let (valve, pipe) = (folder.path("valve.json"), folder.path("pipe"))
            #expect(mkfifo(pipe, 0o600) == 0)
            let end = try await Program.run(["profile", "convert", valve, "--output", pipe], in: folder)
            #expect(end.status == 73 && end.output.contains("pipe is no plain file"), "\(end.output)")
            #expect(FileStatus(path: pipe)?.kind == .pipe)
        }
    }

    @Test func `a profile that is asked for by its title is named`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.valve, to: "valve.json")
            let end = try await Program.run(
                ["profile", "show", "Radiator valve", "--file", folder.path("valve.json")],
                in: folder
            )
            #expect(
                end.status == 65 && end.output.contains("; that is the title of \"valve-1\""),
                "\(end.output)"
            )
        }
    }

    @Test func `a verb that only needs the broker is not stopped by a broken profile file`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write("{", to: "amap.json")
            for words in [["get", "state", "--timeout", "0.5"], ["list", "nodes", "--timeout", "0.5"]] {
                let keys = ["mqtt.port": "1", "profiles.files": folder.path("amap.json")]
                let end = try await Program.run(words, in: folder, keys: keys)
                #expect(end.status == 69 && !end.output.contains("bad_json"), "\(end.output)")
            }
        }
    }

    @Test func `what show writes as YAML is a file without problems`() async throws {
        try await withTemporaryFolder { folder in
            for name in ["blind", "thermostat", nil] {
                let arguments = ["profile", "show", name, "--yaml"].compactMap(\.self)
                let end = try await Program.run(arguments, in: folder)
                try folder.write(end.output, to: "copy.yaml")
                let lint = try await Program.run(["profile", "lint", folder.path("copy.yaml")], in: folder)
                #expect(lint.output.hasSuffix("errors 0, warnings 0\n"), "\(lint.output)")
            }
        }
    }

    @Test func `check takes profile files as part of the configuration, and shows no secret`() async throws {
        try await withTemporaryFolder { folder in
            try folder.write(Self.application, to: "amap.json")
            try folder.write(Self.valve.replacing("valve-1", with: "valve-2"), to: "valve.json")
            try folder.write("profiles:\n  files: [amap.json, valve.json]\n", to: "t.yaml")
            let arguments = ["check", "--config", folder.path("t.yaml")]
            let good = try await Program.run(arguments + ["--print"], in: folder)
            #expect(good.status == 0 && !good.output.contains("geheim"), "\(good.output)")
            #expect(
                good.output.contains("level: debug  # from "),
                "\(good.output)"
            )
            #expect(good.output.contains("warning: \(folder.path("valve.json")):7:21: missing_comma: "))
            try folder.write(Self.valve.replacing("\"oemModel\"", with: "\"oemModle\""), to: "valve.json")
            let bad = try await Program.run(arguments, in: folder)
            #expect(
                bad.status == 78 && bad.output.contains("valve.json:1:1: missing_field: "),
                "\(bad.output)"
            )
        }
    }

    @Test func `a reload takes a changed profile file, and a bad one leaves the old state running`()
        async throws
    {
        try await withEmptyHome { home, visitor in
            try home.folder.write(Self.application, to: "amap.json")
            try await home.take(
                Place.model.replacing(
                    "\"temperature\"",
                    with: "\"profile\": \"valve-1\", \"heating\": 0, \"temperature\""
                )
            )
            try await visitor.whileStarting { try await home.start(file: "profiles: {files: [amap.json]}\n") }
            let info = try await visitor.awaits("info")
            #expect(info["application"]?["name"] == "Heating" && info["application"]?["version"] == "1")
            try home.folder.write(Self.application.replacing("\"1\"", with: "\"2\" ]"), to: "amap.json")
            await home.signal(SIGHUP)
            #expect(await home.logs("the new configuration is not used"))
            let refused = try await visitor.ask("request/reload")
            #expect(refused.outcome != "ok")
            #expect(await home.isRunning)
            try home.folder.write(Self.application.replacing("\"1\"", with: "\"2\""), to: "amap.json")
            #expect(try await visitor.ask("request/reload").outcome == "ok")
            #expect(await eventually { await visitor.json("info")?["application"]?["version"] == "2" })
            #expect(await !home.log.contains("geheim"))
        }
    }
}

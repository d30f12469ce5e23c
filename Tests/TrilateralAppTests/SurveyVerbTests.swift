import JSON
import TestSupport
import Testing

/// The verbs of `survey` that ask the daemon.
@Suite(.timeLimit(.minutes(2))) struct SurveyVerbTests {
    @Test(arguments: [
        ("line 3: x must be a number", ":3: x must be a number"),
        ("the survey is full", "survey import: the survey is full"),
    ])
    func `an import names the file and the line that is wrong`(message: String, text: String) async throws {
        try await withVerbDesk { desk in
            let file = try desk.write("point,x,y\n", to: "points.csv")
            try await desk.withDaemon(["POST survey/import": .refused(400, "invalid_value", message)]) {
                let end = try await desk.run(["survey", "import", file])
                #expect(end.status != 0 && end.output.contains(text), "\(end.output)")
                #expect(end.output.contains("points.csv") == message.hasPrefix("line"), "\(end.output)")
            }
        }
    }

    @Test func `an export over a file that is there names the option that replaces it`() async throws {
        try await withVerbDesk { desk in
            let file = try desk.write("mine\n", to: "points.csv")
            try await desk.withDaemon(["GET survey/export": .init(200, ["csv": "point\n", "points": 0])]) {
                let refused = try await desk.run(["survey", "export", file])
                #expect(
                    refused.status == 73 && refused.output.contains("exists already; --force replaces it"),
                    "\(refused.output)"
                )
                #expect(desk.folder.read("points.csv") == "mine\n")
                let replaced = try await desk.run(["survey", "export", file, "--force"])
                #expect(replaced.status == 0, "\(replaced.output)")
                #expect(desk.folder.read("points.csv") == "point\n")
            }
        }
    }
}

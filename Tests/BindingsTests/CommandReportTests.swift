import Bindings
import JSON
import Testing
import Things

struct CommandReportTests {
    private let actions = [CommandAction("on", true), CommandAction("brightness", 0.4)]

    private func report(_ text: String) throws -> CommandReport {
        try CommandReport(JSONValue(parsing: text))
    }

    @Test func `a thing reports the results of a command in the order of its actions`() throws {
        let report = try report(
            #"{"commandID":"c.1","actionResults":[{"on":{"succeeded":true}},{"brightness":{"succeeded":false,"errorMessage":"dark","data":[1]}}]}"#
        )
        #expect(report.commandID == "c.1")
        #expect(
            try report.results(of: actions) == [
                ActionResult("on", isSucceeded: true),
                ActionResult("brightness", isSucceeded: false, errorMessage: "dark", data: [1]),
            ]
        )
    }

    @Test func `results of other actions are refused when the command is known`() throws {
        for text in [
            #"{"commandID":"c.1","actionResults":[{"on":{"succeeded":true}}]}"#,
            #"{"commandID":"c.1","actionResults":[{"brightness":{"succeeded":true}},{"on":{"succeeded":true}}]}"#,
            #"{"commandID":"c.1","actionResults":[{"on":{"succeeded":true}},{"brightness":{}}]}"#,
        ] {
            let report = try report(text)
            #expect(throws: Refusal.self) { try report.results(of: actions) }
        }
    }

    @Test(arguments: [
        ("[]", RefusalCode.wrongType), (#"{"actionResults":[{}]}"#, .invalidValue),
        (#"{"commandID":7,"actionResults":[{}]}"#, .wrongType),
        (#"{"commandID":"","actionResults":[{}]}"#, .invalidValue),
        (#"{"commandID":"\#(String(repeating: "c", count: 201))","actionResults":[{}]}"#, .invalidValue),
        (#"{"commandID":"c"}"#, .invalidValue), (#"{"commandID":"c","actionResults":{}}"#, .wrongType),
        (#"{"commandID":"c","actionResults":[]}"#, .invalidValue),
        (#"{"commandID":"c","actionResults":[{}],"ts":1}"#, .invalidValue),
        (
            #"{"commandID":"c","actionResults":[\#(Array(repeating: "{}", count: 51).joined(separator: ","))]}"#,
            .invalidValue
        ),
        (#"{"commandID":"c","actionResults":["\#(String(repeating: "x", count: 64_512))"]}"#, .tooLarge),
    ])
    func `a report of another form is refused`(text: String, code: RefusalCode) {
        #expect {
            try report(text)
        } throws: { error in
            (error as? Refusal)?.code == code
        }
    }
}

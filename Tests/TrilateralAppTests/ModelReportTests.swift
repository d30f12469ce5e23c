import FlareServer
import Testing
import TrilateralApp

struct ModelReportTests {
    private func report(_ text: String) -> ModelReport {
        ModelReport(on: Array(text.utf8), path: "home.json")
    }

    @Test func `errors and warnings stand beside each other, with line and place, and are counted`() {
        let report = report(
            """
            {"environments": [{
              "name": [],
              "angel": 90,
              "zones": [
                {"name": "Hall", "perimeter": {"origin": {"x": 0, "y": 0}, "size": {"width": 2, "height": 3}},
                 "things": [
                   {"name": "Lamp",
                    "position": {"x": 7, "y": 1}}
            ]}]}]}
            """
        )
        #expect(
            report.lines() == [
                "home.json:2: error: environments[0].name: must be a text (is a list)",
                "home.json:3: warning: environments[0].angel: is no member of an environment and is left out; "
                    + "did you mean \"angle\"?",
                "home.json:8: warning: environments[0].zones[0].things[0].position: "
                    + "is outside its zone (x 0 to 2, y 0 to 3, z 0 to 3)",
            ]
        )
        #expect(report.summary == "home.json: 1 error, 2 warnings")
        #expect(report.hasErrors && report.tree == nil)
    }

    @Test func `a member's name cannot command the terminal`() {
        let lines = report("{\"environments\": [{\"name\": \"Home\", \"\u{9b}2J\": 1}]}").lines()
        #expect(lines.count == 1)
        #expect(lines.first?.contains(#"environments[0].\u{9b}2J"#) == true, "\(lines)")
    }

    @Test func `warnings are no errors`() {
        let report = report(#"{"environments": [{"name": "Home", "colour": 1}]}"#)
        #expect(!report.hasErrors && report.tree?.records.count == 1)
        #expect(report.summary == "home.json: 1 object, no errors, 1 warning")
    }

    @Test func `a file without mistakes is said to be one`() {
        let report = ModelReport(on: DemoPlace.model, path: "home.json")
        #expect(report.lines() == [])
        #expect(report.summary.hasSuffix(" objects, no errors, no warnings"))
    }

    @Test func `a text that is no JSON is told by line and column`() {
        let report = report("{\n  \"environments\": [\n    {]")
        #expect(report.lines().count == 1)
        #expect(report.lines().first?.hasPrefix("home.json:3: error: invalid JSON") == true)
        #expect(report.summary == "home.json: 1 error, no warnings")
    }

    @Test func `what the database says is counted and has its line`() {
        var report = report("{\"environments\": [\n{\"name\": \"Home\"}]}")
        report.add(errors: [
            ModelError(place: "environments[0]._id", message: "is there", isReplaceable: true)
        ])
        report.add(warnings: [ModelError(place: "environments[0]", message: "a second one")])
        #expect(
            report.lines() == [
                "home.json:2: error: environments[0]._id: is there",
                "home.json: \(ModelFile.advice)",
                "home.json:2: warning: environments[0]: a second one",
            ]
        )
        #expect(report.summary == "home.json: 1 object, 1 error, 1 warning")
    }

    @Test func `of objects that exist already only the outermost are listed, in the order of their lines`() {
        let home = "{\"name\": \"Home\",\n\"zones\": [{\"name\": \"Hall\"}]}"
        var report = report("{\"environments\": [\n\(home),\n{}]}")
        report.add(errors: [
            ModelError(place: "environments[1]", message: "b", isReplaceable: true),
            ModelError(place: "environments[0]", message: "a", isReplaceable: true),
            ModelError(place: "environments[0].zones[0]._id", message: "c", isReplaceable: true),
        ])
        let errors = report.lines().filter { $0.contains(": error: ") }
        #expect(
            errors == [
                "home.json:2: error: environments[0]: a, and 1 object in it",
                "home.json:4: error: environments[1]: b",
            ]
        )
        #expect(report.summary.contains(" 2 errors"), "\(report.summary)")
    }

    @Test func `of very many problems the first are told, and how many there are`() {
        let many = Array(repeating: "1", count: 1500).joined(separator: ",")
        let report = report(#"{"environments":[\#(many)]}"#)
        #expect(report.lines().count == 1001)
        #expect(report.lines().last == "home.json: error: there are more: reading stopped here")
        #expect(report.summary == "home.json: more than 1000 errors, no warnings")
        let objects = Array(repeating: "{}", count: 30).joined(separator: ",")
        let unnamed = self.report(#"{"environments":[\#(objects)]}"#).lines(mostWarnings: 20)
        #expect(unnamed.count == 21 && unnamed.last == "home.json: warning: … and 10 more")
    }
}

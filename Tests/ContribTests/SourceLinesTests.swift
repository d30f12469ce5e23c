import Foundation
import Testing

/// The comments that say where a rule comes from lead somewhere.
struct SourceLinesTests {
    @Test func `what comments name as their source exists`() throws {
        let lines = try SourceLine.all()
        #expect(lines.count > 200)
        for line in lines {
            let problem = line.problem()
            #expect(problem == nil, "\(line.path):\(line.number): \(line.text)")
        }
    }

    @Test(arguments: [
        #"contrib/contract/mqtt.md, "Rule 1: every command is carried out"."#,
        #"contrib/contract/mqtt.md, "Frames"; "Pictures"."#,
        #"contrib/contract/broker.md, "Frames"."#, "contrib/contract/mqtt.md.",
        "contrib/design/9999-not-written.md.", "design note 9999.", "flare-protocol 4.5.",
        "RFC 8259; positioning 6.8.", "the MQTT contract, rule 1.", "the people page, \"Signing in\".",
        "design, the controller's rules, 6.", "profiles, values.", "what everybody knows.",
    ])
    func `a source that leads nowhere is found`(text: String) {
        #expect(SourceLine(path: "a.swift", number: 1, text: text).problem() != nil)
    }

    @Test(arguments: [
        #"contrib/contract/mqtt.md, "Frames"; "Things"; RFC 8259."#, "design note 0055.",
        #"RFC 7914; contrib/contract/people.md, "Passwords", in short."#, "eventfd(2).",
        "`distanceBetween` of the original server.",
    ])
    func `a source that leads somewhere is none`(text: String) {
        #expect(SourceLine(path: "a.swift", number: 1, text: text).problem() == nil)
    }

    @Test func `lines that continue a source belong to it`() {
        let text = [
            "/// Decodes.", "///", #"/// - Source: contrib/contract/mqtt.md, "Frames";"#,
            #"///   "Pictures"."#,
            "/// - Parameter bytes: What came.", "    // - Source: RFC 8259.", "    //", "    // More.",
        ].joined(separator: "\n")
        let lines = SourceLine.found(in: text, of: "a.swift")
        #expect(
            lines.map(\.text) == [#"contrib/contract/mqtt.md, "Frames"; "Pictures"."#, "RFC 8259."]
        )
        #expect(lines.map(\.number) == [3, 6])
        #expect(lines.first?.problem() == #"contrib/contract/mqtt.md has no heading "Pictures""#)
    }
}

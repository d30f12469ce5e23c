import Daemon
import Foundation
import Testing
import Yams

/// The version stands in ProgramVersion.swift.
///
/// What cannot read it from there says the same.
struct VersionTests {
    private let version = ProgramInfo.currentVersion

    @Test func `the add-on and the head of its changelog have the program's version`() throws {
        let addOn = "contrib/home-assistant-addon"
        #expect(try Contrib.yaml("\(addOn)/config.yaml").members["version"]?.string == version)
        let headings = try Contrib.text("\(addOn)/CHANGELOG.md").split(separator: "\n")
            .filter { $0.hasPrefix("## ") }
        #expect(headings.first == "## \(version)")
    }

    @Test func `no other source has the version`() throws {
        let folder = Contrib.root.appending(path: "Sources")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { name in ["swift", "json", "js", "html"].contains { name.hasSuffix(".\($0)") } }
        #expect(names.count > 500)
        for name in names {
            let text = try Contrib.text("Sources/\(name)")
            guard text.contains(version) else { continue }
            // Part of a longer number, such as an address, is no version.
            let numbers = text.split { !$0.isNumber && $0 != "." }.map(String.init)
            #expect(!numbers.contains(version), "\(name)")
        }
    }
}

import Foundation
import Testing

@testable import Web

/// What the files of the pages hold.
struct PageContentTests {
    private static let accountPages = [
        "sign-in.html", "sign-up.html", "forgot.html", "verify.html", "me.html", "admin.html",
    ]

    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Web/Page")

    private static func text(_ name: String) throws -> String {
        try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    private static func size(_ names: Set<String>) throws -> Int {
        try names.map { try Data(contentsOf: folder.appending(path: $0)).count }.reduce(0, +)
    }

    /// What pages load at once: what they name, and what their modules import.
    private static func loaded(by pages: [String]) throws -> Set<String> {
        var found = Set(pages)
        var open = found
        while let name = open.popFirst() {
            guard [".html", ".js"].contains(where: name.hasSuffix) else { continue }
            for match in try text(name).matches(of: /(?:kiosk\/|from "\.\/)([a-z0-9-]+\.[a-z]+)/) {
                let named = String(match.1)
                if PageFiles.embedded.names.contains(named), found.insert(named).inserted {
                    open.insert(named)
                }
            }
        }
        return found
    }

    @Test func `the page stays below 180 KB, and what a configuration adds below 90 KB`() throws {
        let always = try Self.loaded(by: ["kiosk.html"])
        let accounts = try Self.loaded(by: Self.accountPages).union(["people-german.js"])
        let rest = PageFiles.embedded.names.subtracting(always).subtracting(accounts)
        #expect(rest.contains("experience.js"))
        #expect(try Self.size(always) < 184_320)
        #expect(try Self.size(rest) < 92_160)
    }

    @Test func `all pages of accounts together add less than 80 KB, and signing in needs less than 52 KB`()
        throws
    {
        let always = try Self.loaded(by: ["kiosk.html"])
        let accounts = try Self.loaded(by: Self.accountPages).union(["people-german.js"])
        #expect(try Self.size(accounts.subtracting(always)) < 81_920)
        #expect(try Self.size(Self.loaded(by: ["sign-in.html"]).union(["people-german.js"])) < 53_248)
    }

    @Test func `every sentence of the pages of accounts is there in German`() throws {
        let german = try Self.text("people-german.js")
        let known = Set(german.matches(of: /"((?:[^"\\]|\\.)*)":/).map { String($0.1) })
        #expect(known.count > 100)
        for name in try Self.loaded(by: Self.accountPages) where name.hasSuffix(".js") {
            for match in try Self.text(name).matches(of: /\bsay\("((?:[^"\\]|\\.)*)"/) {
                #expect(known.contains(String(match.1)), "\(name): \(match.1)")
            }
        }
    }

    @Test func `no page takes text for markup, and none has script or style of its own within`() throws {
        for name in PageFiles.embedded.names where [".html", ".js"].contains(where: name.hasSuffix) {
            let text = try Self.text(name)
            for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
                #expect(!text.contains(word), "\(name): \(word)")
            }
            guard name.hasSuffix(".html") else { continue }
            #expect(!text.contains(" style=") && !text.contains("<style"), "\(name)")
            #expect(text.matches(of: /<script(?![^>]*src=)/).isEmpty, "\(name)")
        }
    }
}

import Foundation
import NIOCore
import Testing
import Things

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

    /// What goes over the network, compressed as browsers ask for it.
    private static func size(_ names: Set<String>) throws -> Int {
        try names.map { name in
            let file = try #require(PageFiles.embedded[name])
            return (file.gzip ?? file.body).readableBytes
        }.reduce(0, +)
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

    /// Scripts that a page asks for, each with the modules that it is made of.
    private static func asked(by pages: [String]) throws -> Set<String> {
        try pages.reduce(into: Set(pages)) { found, page in
            for match in try text(page).matches(of: /kiosk\/([a-z0-9-]+\.[a-z]+)/) {
                found.insert(String(match.1))
            }
        }
    }

    @Test
    func `the page takes less than 64 KB of the network, and what a configuration adds less than 40 KB`()
        throws
    {
        #expect(try Self.size(Self.asked(by: ["kiosk.html"])) < 65_536)
        #expect(try Self.size(["experience.js", "experience.css", "upkeep.js"]) < 40_960)
    }

    @Test func `a page asks for two scripts and its styles, and they need no other file`() throws {
        for page in Self.accountPages + ["kiosk.html"] {
            let scripts = try Self.asked(by: [page]).filter { $0.hasSuffix(".js") }
            #expect(scripts.count == 2 && scripts.contains("oldest.js"), "\(page)")
            for name in scripts {
                let body = try #require(PageFiles.embedded[name]).body
                #expect(!String(buffer: body).contains("from \"./"), "\(name)")
            }
        }
    }

    @Test func `each module imports what another one exports, in lines that can be joined`() throws {
        for name in PageFiles.embedded.names where name.hasSuffix(".js") {
            let text = try Self.text(name)
            let lines = text.split(separator: "\n").filter {
                $0.hasPrefix("import ") || $0.hasPrefix("export ")
            }
            for line in lines where line.hasPrefix("export ") {
                #expect(
                    line.firstMatch(of: /^export (?:const|class|function|async function) \w/) != nil,
                    "\(name): \(line)"
                )
            }
            for line in lines where line.hasPrefix("import ") {
                let match = try #require(
                    line.wholeMatch(of: /import \{ (.+) \} from "\.\/([a-z-]+\.js)";/),
                    "\(name): \(line)"
                )
                let other = try Self.text(String(match.2))
                for part in match.1.split(separator: ", ") {
                    let word = String(part.split(separator: " ").first ?? "")
                    #expect(
                        other.firstMatch(of: try Regex("(?m)^export [a-z ]+ \\Q\(word)\\E\\b")) != nil,
                        "\(name): \(word)"
                    )
                }
            }
        }
    }

    @Test func `all pages of accounts together add less than 80 KB`() throws {
        let always = try Self.loaded(by: ["kiosk.html"])
        let accounts = try Self.loaded(by: Self.accountPages).union(["people-german.js"])
        let sizes = try accounts.subtracting(always).map {
            try Data(contentsOf: Self.folder.appending(path: $0)).count
        }
        #expect(sizes.reduce(0, +) < 81_920)
        #expect(try Self.size(Self.asked(by: ["sign-in.html"]).union(["people-german.js"])) < 20_480)
    }

    /// What administration loads only where somebody looks at places and things.
    @Test func `the part about places takes less than 16 KB of the network, and only where it is asked for`()
        throws
    {
        let places = try Self.loaded(by: ["admin-things.js"])
            .subtracting(Self.loaded(by: Self.accountPages)).union(["admin-german.js"])
        #expect(places.isSuperset(of: ["admin-things.js", "admin-places.js", "admin-fields.js"]))
        #expect(try Self.size(["admin-things.js", "admin-german.js"]) < 16_384)
    }

    /// What administration loads only where somebody looks at things with owners.
    @Test
    func
        `the part about things with owners takes less than 12 KB of the network, and only where it is asked for`()
        throws
    {
        let part = try Self.loaded(by: ["admin-bindings.js"]).subtracting(Self.loaded(by: Self.accountPages))
        #expect(part == ["admin-bindings.js", "admin-history.js"])
        #expect(try Self.size(["admin-bindings.js", "bindings-german.js"]) < 12_288)
    }

    /// What administration loads only where somebody looks at rules, and the kiosk page for the times of a thing.
    @Test
    func `the part about rules takes less than 50 KB of the network, and only where it is asked for`()
        throws
    {
        let always = try Self.loaded(by: Self.accountPages)
        let part = try Self.loaded(by: ["admin-rules.js"]).subtracting(always)
        #expect(part.isSuperset(of: ["admin-rules.js", "rule-form.js", "rule-model.js", "rule-sentence.js"]))
        #expect(try Self.size(["admin-rules.js", "rules-german.js", "rules.css"]) < 51_200)
        #expect(try Self.size(["thing-times.js", "rules-german.js", "rules.css"]) < 40_960)
        let kiosk = try Self.loaded(by: ["kiosk.html", "experience.js"])
        #expect(!kiosk.contains { $0.hasPrefix("rule") || $0 == "thing-times.js" })
    }

    /// What administration loads only where somebody looks at the survey.
    @Test
    func `the part about the survey takes less than 8 KB of the network, and only where it is asked for`()
        throws
    {
        #expect(try !Self.loaded(by: Self.accountPages).contains("admin-survey.js"))
        #expect(try Self.size(["admin-survey.js", "survey-german.js"]) < 8_192)
    }

    @Test func `every sentence of the part about the survey is there in German`() throws {
        func words(_ name: String) throws -> Set<String> {
            Set(try Self.text(name).matches(of: /"((?:[^"\\]|\\.)*)":/).map { String($0.1) })
        }
        let known = try words("people-german.js").union(words("survey-german.js"))
        for match in try Self.text("admin-survey.js").matches(of: /\bsay\("((?:[^"\\]|\\.)*)"/) {
            #expect(known.contains(String(match.1)), "\(match.1)")
        }
    }

    @Test func `what a gateway sees is claimed by the members of an end node`() throws {
        let script = try Self.text("admin-bindings.js")
        let claim = try #require(script.firstMatch(of: /async function asNode\([^)]*\) \{((?:.|\n)*?)\n\}/)).1
        for name in [
            "gatewayThingID", "endNodeVendorThingID", "endNodePassword", "endNodeThingType",
            "endNodeThingProperties", "dataGroupingInterval", "owner",
        ] {
            #expect(claim.contains(name), "\(name)")
        }
        #expect(script.contains("binding.gateway ? asNode(binding, values)"))
    }

    @Test func `every sentence of the part about things with owners is there in German`() throws {
        func words(_ name: String) throws -> Set<String> {
            Set(try Self.text(name).matches(of: /"((?:[^"\\]|\\.)*)":/).map { String($0.1) })
        }
        let known = try words("people-german.js").union(words("bindings-german.js"))
        for name in ["admin-bindings.js", "admin-history.js"] {
            for match in try Self.text(name).matches(of: /\bsay\("((?:[^"\\]|\\.)*)"/) {
                #expect(known.contains(String(match.1)), "\(name): \(match.1)")
            }
        }
        // What is chosen from stands in tables.
        let tables = try Self.text("admin-history.js").matches(
            of: /(?:HOUR|DAY), "([^"_]+)"|_(?:MINUTE|HOUR)S?": "([^"]+)"/
        )
        #expect(tables.count == 12)
        for match in tables {
            let text = String(match.1 ?? match.2 ?? "")
            #expect(known.contains(text), "\(text)")
        }
    }

    @Test
    func
        `the part about devices takes less than 8 KB of the network, is in German, and shows nobody at once`()
        throws
    {
        let part = try Self.loaded(by: ["admin-devices.js"]).subtracting(Self.loaded(by: Self.accountPages))
        #expect(part == ["admin-devices.js"])
        #expect(try Self.size(["admin-devices.js", "devices-german.js"]) < 8192)
        func words(_ name: String) throws -> Set<String> {
            Set(try Self.text(name).matches(of: /"((?:[^"\\]|\\.)*)":/).map { String($0.1) })
        }
        let script = try Self.text("admin-devices.js")
        let known = try words("people-german.js").union(words("devices-german.js"))
        for match in script.matches(of: /\bsay\("((?:[^"\\]|\\.)*)"/) {
            #expect(known.contains(String(match.1)), "\(match.1)")
        }
        // What is chosen from stands in tables.
        for table in script.matches(of: /const (?:KINDS|SENDERS) = \{([^}]*)\}/) {
            for match in table.1.matches(of: /: "([^"]+)"/) {
                #expect(known.contains(String(match.1)), "\(match.1)")
            }
        }
        #expect(script.contains("isListening ? ask(\"GET\", \"heard?seconds="))
    }

    @Test
    func
        `what shows several devices takes less than 6 KB of the network, is in German, and is for several devices only`()
        throws
    {
        #expect(try !Self.loaded(by: ["kiosk.html", "experience.js"]).contains("devices.js"))
        #expect(try Self.size(["devices.js"]) < 6144)
        let german = try Self.text("german.js")
        for name in ["devices.js", "empty.js"] {
            for match in try Self.text(name).matches(of: /"([A-Z][^"\\]+[a-z.])"/) {
                #expect(german.contains("\"\(match.1)\":"), "\(name): \(match.1)")
            }
        }
        // A daemon with one device is asked nothing more than its lists.
        let page = try Self.text("app.js")
        #expect(page.contains("Boolean(asked) || zones.some(zone => zone.devices);"))
        #expect(page.contains("if (!this.hasDevices) return null;"))
    }

    @Test func `every sentence of the part about rules is there in German`() throws {
        func words(_ name: String) throws -> Set<String> {
            Set(try Self.text(name).matches(of: /"((?:[^"\\]|\\.)*)":/).map { String($0.1) })
        }
        let rules = try words("rules-german.js")
        #expect(rules.count > 300)
        let people = try words("people-german.js")
        let parts = try Self.loaded(by: ["thing-times.js", "rule-form.js"]).filter { $0.hasPrefix("rule-") }
        for name in parts.union(["thing-times.js", "admin-rules.js"]) {
            let known = name == "admin-rules.js" ? rules.union(people) : rules
            for match in try Self.text(name).matches(of: /\b(?:say|fill|mark)\("((?:[^"\\]|\\.)*)"/) {
                #expect(known.contains(String(match.1)), "\(name): \(match.1)")
            }
        }
    }

    /// A page that has learnt them says them everywhere.
    @Test func `the German words of rules say nothing else than those of the other pages`() throws {
        func table(_ name: String) throws -> [String: String] {
            let pairs = try Self.text(name).matches(of: /"((?:[^"\\]|\\.)*)":\s*"((?:[^"\\]|\\.)*)"/)
            return pairs.reduce(into: [:]) { $0[String($1.1)] = String($1.2) }
        }
        let rules = try table("rules-german.js")
        for name in ["people-german.js", "admin-german.js", "bindings-german.js", "german.js"] {
            for (text, words) in try table(name) {
                #expect(rules[text] == nil || rules[text] == words, "\(name): \(text)")
            }
        }
    }

    @Test func `every sentence of the pages of accounts is there in German`() throws {
        func words(_ name: String) throws -> Set<String> {
            Set(try Self.text(name).matches(of: /"((?:[^"\\]|\\.)*)":/).map { String($0.1) })
        }
        let (always, places) = (try words("people-german.js"), try words("admin-german.js"))
        #expect(always.count > 100 && places.count > 40)
        // The log is loaded where somebody looks at it.
        let pages = try Self.loaded(by: Self.accountPages).union(["admin-log.js"])
        let own = try Self.loaded(by: ["admin-things.js"]).filter { $0.hasPrefix("admin-") }
        for name in pages.union(own) where name.hasSuffix(".js") {
            let known = own.contains(name) ? always.union(places) : always
            for match in try Self.text(name).matches(of: /\bsay\("((?:[^"\\]|\\.)*)"/) {
                #expect(known.contains(String(match.1)), "\(name): \(match.1)")
            }
        }
    }

    @Test
    func `the log of administration says in words why something was refused, and has the code as title`()
        throws
    {
        let log = try Self.text("admin-log.js")
        let table = try #require(log.firstMatch(of: /REASONS = \{([^}]*)\}/)).1
        let german = try Self.text("people-german.js")
        let codes = RefusalCode.allCases.map(\.rawValue) + ["unknown"]
        for match in table.matches(of: /(\w+): "([^"]+)"/) {
            #expect(codes.contains(String(match.1)), "\(match.1)")
            #expect(german.contains("\"\(match.2)\": "), "\(match.2)")
        }
        #expect(log.contains(#"say(REASONS[code] || code.replace(/_/g, " "))"#))
        #expect(log.contains("title: entry.code,") && log.contains("reason(entry.code)"))
    }

    @Test func `the pages of accounts speak to people who run a shop, not to those who build programs`()
        throws
    {
        let pages = try Self.loaded(by: Self.accountPages).union(Self.loaded(by: ["admin-things.js"]))
            .union(Self.loaded(by: ["admin-bindings.js"])).union(["admin-log.js", "admin-rules.js"])
        for name in pages where ["admin", "people", "me", "sign"].contains(where: name.hasPrefix) {
            for match in try Self.text(name).matches(of: /\bsay\("((?:[^"\\]|\\.)*)"/) {
                let words = match.1.lowercased().split { !$0.isLetter }
                for word in [
                    "grant", "scope", "principal", "realm", "perimeter", "geofence", "drive", "drives",
                ] {
                    #expect(!words.contains(Substring(word)), "\(name): \(match.1)")
                }
            }
        }
    }

    @Test func `a door is told as open or closed wherever the kiosk page shows data`() throws {
        let text = try Self.text("text.js")
        #expect(text.contains(#"[/^(door|window|opening|garage_door)$/, "open", "closed"]"#))
        for name in ["appearance.js", "thing-controls.js"] {
            #expect(try Self.text(name).contains(/plain\((data\[key\]|value), key\)/), "\(name)")
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

import Controller
import Daemon
import Foundation
import JSON
import Messages
import Receivers
import Settings
import Testing
import Things
import Yams

/// README and manual against the program: what they name must be there, and what is there must be named.
struct ManualTests {
    /// The pages that users read.
    private static let pages =
        [
            "README.md", "contrib/homeassistant/README.md", "contrib/mosquitto/README.md",
            "contrib/display/README.md", "contrib/design/README.md", "contrib/edge/README.md",
            "contrib/outbox/README.md", "contrib/grafana/README.md", "contrib/home-assistant-addon/DOCS.md",
        ]
        + MarkdownPage.paths(in: "contrib/manual")

    /// The pages for those who build on the protocol.
    private static let contract = MarkdownPage.paths(in: "contrib/contract")

    // MARK: Commands

    @Test func `commands in examples name verbs and options that exist`() async throws {
        let tree = try await CommandTree.ofTheProgram()
        for path in Self.pages {
            let page = try MarkdownPage(path)
            for command in Self.commands(page) where command.name == "trilateral" {
                let problem = tree.problem(of: Array(command.words.dropFirst()))
                #expect(problem == nil, "\(path): \(command.words.joined(separator: " "))")
            }
            for span in page.codeSpans where span.hasPrefix("trilateral ") {
                let words = try #require(ShellCommand.commands(in: span).first).words
                let problem = tree.problem(of: Array(words.dropFirst()), isWhole: false)
                #expect(problem == nil, "\(path): \(span)")
            }
        }
    }

    @Test func `other commands in examples are scripts of the repository or programs that we name`() throws {
        let programs: Set = [
            "trilateral", ".", "alias", "apt", "chmod", "chown", "cp", "curl", "docker", "git", "install",
            "journalctl", "make", "mosquitto", "mosquitto_passwd", "mosquitto_pub", "mosquitto_sub", "nano",
            "printf", "set", "setcap", "systemctl", "tar", "tee", "touch", "useradd",
        ]
        // What is built or installed from the repository.
        let examples: Set = ["contrib/edge/lamp", "/usr/local/lib/trilateral/deliver.py"]
        for path in Self.pages {
            for command in Self.commands(try MarkdownPage(path))
            where !programs.union(examples).contains(command.name) {
                let script = try #require(try? Contrib.text(command.name), "\(path): \(command.name)")
                guard command.name != "contrib/demo" else { continue }
                for option in command.words where option.hasPrefix("--") {
                    let isOption = try script.contains(Regex("\(option)(?![a-z-])"))
                    #expect(isOption, "\(path): \(command.words.joined(separator: " "))")
                }
            }
        }
    }

    @Test func `the page of the command line is what the program says of itself`() async throws {
        let text = try await CommandReference(tree: CommandTree.ofTheProgram()).text
        if ProcessInfo.processInfo.environment["TRILATERAL_RECORD"] == "1" {
            let file = Contrib.root.appending(path: CommandReference.path)
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let matches = try Contrib.text(CommandReference.path) == text
        #expect(matches, "write it again with TRILATERAL_RECORD=1")
    }

    private static func commands(_ page: MarkdownPage) -> [ShellCommand] {
        page.blocks(of: "sh").flatMap { $0.lines.flatMap(ShellCommand.commands) }
    }

    // MARK: Links

    @Test func `links and pictures lead to files and headings that exist`() throws {
        for path in Self.pages + Self.contract + MarkdownPage.paths(in: "contrib/design") {
            let page = try MarkdownPage(path)
            for link in page.links where !link.contains("://") {
                let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                    .map(String.init)
                let folder = URL(filePath: "/" + path).deletingLastPathComponent()
                let target =
                    parts[0].isEmpty
                    ? path : String(folder.appending(path: parts[0]).standardized.path.dropFirst())
                let exists = FileManager.default.fileExists(atPath: Contrib.root.appending(path: target).path)
                #expect(exists, "\(path): \(link)")
                guard parts.count == 2, exists else { continue }
                #expect(try MarkdownPage(target).anchors.contains(parts[1]), "\(path): \(link)")
            }
        }
    }

    @Test func `the manual's first page leads to every other one`() throws {
        let links = Set(try MarkdownPage("contrib/manual/README.md").links)
        let names = MarkdownPage.paths(in: "contrib/manual").compactMap {
            $0.split(separator: "/").last.map(String.init)
        }
        #expect(Set(names).subtracting(links) == ["README.md"])
    }

    @Test func `the list of design notes has each of them with its title`() throws {
        let text = try Contrib.text("contrib/design/README.md")
        for path in MarkdownPage.paths(in: "contrib/design") where !path.hasSuffix("/README.md") {
            let title = try #require(try MarkdownPage(path).headings.first?.text)
            let name = try #require(path.split(separator: "/").last)
            #expect(text.contains("[\(title.prefix(4))](\(name)) |"), "\(path)")
        }
    }

    // MARK: Configuration

    private static let keys = Set(ConfigurationSchema.program.keys.map(\.path))

    /// Whether a path is a key or a section of them.
    private static func isKnown(_ path: String) -> Bool {
        keys.contains(path) || keys.contains { $0.hasPrefix(path + ".") }
    }

    @Test func `configuration keys in the text exist`() throws {
        let sections = Set(Self.keys.compactMap { $0.split(separator: ".").first.map(String.init) })
        for path in Self.pages {
            for span in try MarkdownPage(path).codeSpans {
                guard let match = span.wholeMatch(of: /([a-z]+)((?:\.[a-z0-9_]+)+)(?:: .+)?/),
                    sections.contains(String(match.output.1)),
                    ![".db", ".json"].contains(where: span.hasSuffix)
                else { continue }
                #expect(Self.isKnown(String(match.output.1 + match.output.2)), "\(path): \(span)")
            }
        }
    }

    @Test func `configuration examples have keys that exist`() throws {
        for path in Self.pages {
            for block in try MarkdownPage(path).blocks(of: "yaml") {
                let node = try #require(try Yams.compose(yaml: block.lines.joined(separator: "\n")))
                for key in Self.leaves(node) { #expect(Self.isKnown(key), "\(path): \(key)") }
            }
        }
    }

    private static func leaves(_ node: Yams.Node, _ path: String = "") -> [String] {
        guard node.mapping != nil else { return [path] }
        return node.members.flatMap { leaves($0.value, path.isEmpty ? $0.key : "\(path).\($0.key)") }
    }

    // MARK: Messages

    @Test func `examples of JSON can be read`() throws {
        for path in Self.pages + Self.contract {
            for block in try MarkdownPage(path).blocks(of: "json") {
                let isOne = (try? JSONValue(parsing: block.lines.joined(separator: "\n"))) != nil
                let areMany = block.lines.allSatisfy { (try? JSONValue(parsing: $0)) != nil }
                #expect(isOne || areMany, "\(path): \(block.lines)")
            }
        }
    }

    private static let topics = Topics(root: "trilateral/x")
    private static let published =
        topics.retained + [topics.frame, topics.firings(ofRule: "+"), topics.output(ofRule: "+")]
        + ["event/+", "response/+"].map { "\(topics.root)/\($0)" }
    private static let heard =
        topics.commands(.program) + [topics.raw("+"), topics.presence, topics.setupSSIDs]
    /// Those of things at the edge, whose page plays both sides.
    private static let edge =
        topics.edgeReports + EdgeTopic.Answer.allCases.map { topics.edge(EdgeAddress("+"), $0) }
        + ["\(topics.root)/edge/#"]

    @Test func `topics in examples are those that the daemon publishes or hears`() throws {
        for path in Self.pages {
            for command in Self.commands(try MarkdownPage(path)) {
                guard ["mosquitto_pub", "mosquitto_sub"].contains(command.name),
                    let topic = command.value(after: "-t")
                else { continue }
                // What receivers publish.
                if ReceiverTopics(base: "espresense").message(of: topic) != nil { continue }
                let levels = topic.split(separator: "/")
                try #require(levels.count > 2 && levels[0] == "trilateral", "\(path): \(topic)")
                let ours = ([Self.topics.root] + levels.dropFirst(2).map(String.init)).joined(separator: "/")
                let known =
                    command.name == "mosquitto_pub" ? Self.heard : Self.published + [Self.topics.everything]
                #expect((known + Self.edge).contains { Self.matches($0, ours) }, "\(path): \(topic)")
            }
        }
    }

    @Test func `the page of topics names what the daemon publishes and hears, and nothing else`() throws {
        let page = try MarkdownPage("contrib/manual/topics.md")
        let tables = page.prose.prefix { $0 != "## Things" }.filter { $0.hasPrefix("| `") }
        let named = tables.flatMap { row in
            (row.split(separator: "|").first ?? "").matches(of: /`([^`]+)`/).map {
                "\(Self.topics.root)/" + $0.output.1.replacing(/<[^>]+>/, with: "+")
            }
        }
        for topic in named {
            #expect((Self.published + Self.heard).contains { Self.matches($0, topic) }, "\(topic)")
        }
        for topic in Self.published { #expect(named.contains { Self.matches($0, topic) }, "\(topic)") }
    }

    @Test func `the page of commands names every command`() throws {
        let page = try MarkdownPage("contrib/manual/controlling.md")
        let named = Set(page.codeSpans.map { $0.replacing(/<[^>]+>/, with: "+") })
        for topic in CommandTable.program.descriptors.compactMap(\.topic) where topic != "request/{verb}" {
            #expect(named.contains(topic.replacing(/\{[^}]+\}/, with: "+")), "\(topic)")
        }
    }

    /// Whether two topics can mean the same one; `+` stands for any name, in both.
    private static func matches(_ filter: String, _ topic: String) -> Bool {
        let (wanted, levels) = (filter.split(separator: "/"), topic.split(separator: "/"))
        return wanted.count == levels.count
            && zip(wanted, levels).allSatisfy { $0 == "+" || $1 == "+" || $0 == $1 }
    }

    // MARK: Alerts

    @Test func `every alert has an entry, and every entry an alert`() throws {
        let entries = try MarkdownPage("contrib/manual/troubleshooting.md").headings.filter { $0.level == 3 }
        let different = try AlertNames.inSources().symmetricDifference(entries.map(\.text))
        #expect(different == [])
    }

    @Test func `every code of a refusal is explained`() throws {
        let text = try Contrib.text("contrib/manual/controlling.md")
        for code in RefusalCode.allCases { #expect(text.contains("`\(code.rawValue)`"), "\(code)") }
    }
}

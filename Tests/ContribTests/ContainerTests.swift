import Daemon
import Settings
import Testing
import Yams

/// contrib/container and contrib/home-assistant-addon against the configuration keys that the program has.
///
/// contrib/container-check runs them.
struct ContainerTests {
    private static let addOn = "contrib/home-assistant-addon"
    private static let files = [
        "contrib/container/Containerfile", "contrib/container/compose.yaml",
        "contrib/container/compose.bluetooth.yaml", "\(addOn)/run",
    ]

    private static let keys = Set(ConfigurationSchema.program.keys.map(\.path))

    /// The variable of each key.
    private static let variables = Set(
        keys.map { "TRILATERAL_" + $0.uppercased().replacing(".", with: "_") }
    )

    @Test(arguments: files)
    func `variables are those of configuration keys`(file: String) throws {
        let names = try Contrib.text(file).matches(of: /TRILATERAL_[A-Z_]+/).map { String($0.output) }
        #expect(!names.isEmpty)
        for name in names { #expect(Self.variables.contains(name), "\(name)") }
    }

    @Test func `every option of the add-on has a name and a description in each language`() throws {
        let options = try Set(
            Contrib.yaml("\(Self.addOn)/config.yaml").members["schema"]?.members.keys ?? [:].keys
        )
        #expect(options.count > 5)
        for language in ["en", "de"] {
            let file = try Contrib.yaml("\(Self.addOn)/translations/\(language).yaml")
            let words = file.members["configuration"]?.members ?? [:]
            #expect(Set(words.keys) == options, "\(language)")
            for (option, texts) in words {
                let problem = Keys(["name", "description"]).problem(texts.members.keys)
                #expect(problem == nil, "\(language): \(option): \(problem ?? "")")
            }
        }
    }

    @Test func `each option of the add-on is one that its script uses`() throws {
        let options = try Contrib.yaml("\(Self.addOn)/config.yaml").members["schema"]?.members ?? [:]
        let script = try Contrib.text("\(Self.addOn)/run")
        for option in options.keys {
            let isUsed = try script.contains(Regex("(use|option) \(option)\\b"))
            #expect(isUsed, "\(option)")
        }
    }

    @Test(arguments: [
        ("discovery_things", "TRILATERAL_DISCOVERY_THINGS"), ("log_level", "TRILATERAL_LOG_LEVEL"),
    ])
    func `words that an option of the add-on offers are values of its key`(option: String, variable: String)
        throws
    {
        let schema = try Contrib.yaml("\(Self.addOn)/config.yaml").members["schema"]?.members ?? [:]
        let list = try #require(schema[option]?.string?.wholeMatch(of: /list\((.+)\)/)).output.1
        for word in list.split(separator: "|") {
            let environment = [variable: String(word)]
            #expect(throws: Never.self, "\(word)") {
                try ConfigurationLoader.load(file: nil, environment: environment, schema: .program)
            }
        }
    }
}

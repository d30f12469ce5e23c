import Accounts
import Administration
import Daemon
import Settings
import TestSupport
import Testing

/// The keys of `people` that do not go together.
struct PeopleSettingsTests {
    private func load(_ yaml: String) throws -> Result<TrilateralConfiguration, ConfigurationErrors> {
        let folder = try ScratchFolder()
        let file = try folder.write("c.yaml", yaml)
        return Result { () throws(ConfigurationErrors) in
            try ConfigurationLoader.load(file: file, environment: [:], schema: .program).values
        }
    }

    private func errors(_ yaml: String) throws -> [String] {
        guard case .failure(let error) = try load(yaml) else { return [] }
        return error.problems.map { "\($0.path): \($0.message)" }
    }

    @Test(arguments: ["people: {sign_up: verified}", "people: {sign_up: approved}", "people: {forgot: true}"])
    func `email needs a broker with users and the address of the page`(people: String) throws {
        let name = "mqtt: {username: panel}"
        let key = people.contains("forgot") ? "people.forgot" : "people.sign_up"
        #expect(
            try errors(people)
                == [
                    "\(key): needs mqtt.username as well: on a broker without users everybody reads the links"
                ]
        )
        #expect(
            try errors("\(people)\n\(name)")
                == ["\(key): needs web.public_url as well: links in email messages begin with it"]
        )
        let url = "public_url: \"https://panel.example\""
        #expect(try errors("\(people)\n\(name)\nweb: {\(url)}") == [])
        #expect(
            try errors("\(people)\n\(name)\nweb: {\(url), listen: null}")
                == ["\(key): needs web.listen as well: links in email messages lead to the page"]
        )
    }

    @Test func `sign-up that is off is off, in quotes and without`() throws {
        #expect(try load("people: {sign_up: off}").get().people.signUp == .off)
        #expect(try load("people: {sign_up: \"off\"}").get().people.signUp == .off)
        #expect(try errors("people: {sign_up: yes}").first?.contains("off, verified or approved") == true)
    }

    @Test(arguments: [
        "ftp://panel", "panel.example", "https://", "https://u:p@panel", "https://panel?x=1",
        "https://panel/#a",
        "https://pa nel",
    ]) func `a page's address that is none is refused`(address: String) throws {
        #expect(try errors("web: {public_url: \"\(address)\"}").first?.hasPrefix("web.public_url: ") == true)
    }

    @Test(arguments: ["https://panel.example", "http://10.0.0.2:8080", "https://home.example/panel/"])
    func `a page's address may have a port and a path`(address: String) throws {
        #expect(try errors("web: {public_url: \"\(address)\"}") == [])
    }
}

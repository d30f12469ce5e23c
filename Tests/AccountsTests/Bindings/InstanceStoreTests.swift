import Accounts
import AccountsFixture
import Bindings
import GRDB
import People
import Testing

struct InstanceStoreTests {
    private let home: TestAccounts
    private var store: AccountsStore { home.store }

    init() throws { home = try TestAccounts() }

    @Test func `an instance is read as it was saved, and replaced by its tag`() throws {
        let full = AppInstance(
            "kitchen",
            realm: "app",
            site: .china,
            owner: .group(.everybody),
            thing: BindingID(high: 1, low: 2),
            installation: "i-1"
        )
        let bare = AppInstance(realm: "app", site: .japan)
        for instance in [full, bare] { try store.save(instance) }
        #expect(try store.instances() == [bare, full])
        #expect(try store.instance("kitchen") == full && store.instance("") == bare)
        #expect(try store.instance("Kitchen") == nil)
        let changed = AppInstance("kitchen", realm: "other", site: .europe)
        try store.save(changed)
        #expect(try store.instances() == [bare, changed])
    }

    @Test func `instances are removed one by one and all at once`() throws {
        for tag in ["", "a", "b"] { try store.save(AppInstance(tag, realm: "app", site: .europe)) }
        #expect(try store.removeInstance("") && !store.removeInstance(""))
        #expect(try store.instances().map(\.tag) == ["a", "b"])
        try store.removeInstances()
        #expect(try store.instances().isEmpty)
    }

    @Test func `a thousand instances are the most`() throws {
        for number in 0..<1000 {
            try store.save(AppInstance("\(number)", realm: "app", site: .europe))
        }
        #expect(code { try store.save(AppInstance("more", realm: "app", site: .europe)) } == "not_allowed")
        #expect(code { try store.save(AppInstance("7", realm: "other", site: .europe)) } == nil)
        #expect(try store.instances().count == 1000)
    }

    @Test func `an instance of a newer format is refused for its format, whatever else it has`() throws {
        try home.database.write { database in
            try database.execute(
                sql: """
                    INSERT INTO instance VALUES ('moon', 'app', 'MOON', 'robot:7', 'thing 9', NULL, 2);
                    INSERT INTO instance VALUES ('near', 'app', 'EU', NULL, NULL, 'i-1', 2);
                    """
            )
        }
        for tag in ["moon", "near"] {
            let instance = try #require(try store.instance(tag))
            let problem = try #require(instance.problem(realm: "app", site: .europe))
            #expect(problem.contains("newer format 2"))
        }
        #expect(try store.instances().count == 2)
    }

    @Test(arguments: ["site = 'MOON'", "owner = 'robot:7'", "thing = 'th.9'"])
    func `a damaged row is left out`(change: String) throws {
        for tag in ["a", "b"] { try store.save(AppInstance(tag, realm: "app", site: .europe)) }
        try home.database.write { try $0.execute(sql: "UPDATE instance SET \(change) WHERE tag = 'a'") }
        #expect(try store.instances().map(\.tag) == ["b"] && store.instance("a") == nil)
        try store.save(AppInstance("a", realm: "app", site: .europe))
        #expect(try store.instances().map(\.tag) == ["a", "b"])
    }
}

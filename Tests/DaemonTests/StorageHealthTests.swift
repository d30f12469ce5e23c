import Daemon
import Testing

struct StorageHealthTests {
    private var health = StorageHealth()

    @Test mutating func `a failure is reported once, and is over when the folder has taken a file`() {
        #expect(health.apply(.failed("full")) == .broken("full"))
        #expect(health.apply(.failed("full")) == nil)
        #expect(health.apply(.failed("another database: full")) == nil)
        #expect(health.needsTest)
        #expect(health.apply(.inspected(problem: nil)) == nil)
        #expect(health.apply(.written) == .recovered)
        #expect(!health.needsTest)
        #expect(health.apply(.written) == nil)
        #expect(health.apply(.failed("full")) == .broken("full"))
    }

    @Test mutating func `a problem of the folder is over when an inspection no longer finds it`() {
        #expect(health.apply(.inspected(problem: nil)) == nil)
        #expect(health.apply(.inspected(problem: "gone")) == .broken("gone"))
        #expect(health.apply(.inspected(problem: "gone")) == nil)
        #expect(!health.needsTest)
        #expect(health.apply(.inspected(problem: nil)) == .recovered)
    }

    @Test mutating func `writes that fail because of a known problem are not reported as another one`() {
        #expect(health.apply(.inspected(problem: "read-only")) == .broken("read-only"))
        #expect(health.apply(.failed("cannot write")) == nil)
        #expect(!health.needsTest)
        // Seen to be right, and a write has failed: now that counts.
        #expect(health.apply(.inspected(problem: nil)) == .broken("cannot write"))
        #expect(health.needsTest)
        #expect(health.apply(.written) == .recovered)
    }

    @Test mutating func `another cause is reported`() {
        #expect(health.apply(.inspected(problem: "full")) == .broken("full"))
        #expect(health.apply(.inspected(problem: "gone")) == .broken("gone"))
    }
}

import JSON
import Testing
import Web

@testable import Daemon

struct NodePartsTests {
    private static func parts(_ templates: String...) -> CapabilityParts {
        var parts = CapabilityParts()
        parts.routes = templates.map { template in .reading(template) { _ in .null } }
        return parts
    }

    @Test
    func `a reload that switches a capability on adds its routes, one that switches it off removes them`() {
        let parts = NodeParts()
        #expect(parts.routes.isEmpty)
        parts.use([("night light", nil), ("lifecycle", Self.parts("/api/lifecycle"))])
        #expect(parts.routes.count == 1)
        parts["night light"] = Self.parts("/night-light/state", "/night-light/log")
        #expect(parts.routes.count == 3)
        parts["night light"] = nil
        #expect(parts.routes.count == 1)
    }
}

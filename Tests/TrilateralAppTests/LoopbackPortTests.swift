import TestSupport
import Testing
import TrilateralApp

struct LoopbackPortTests {
    @Test func `a port that one demo has chosen is not free for the next one, listened on or not`()
        async throws
    {
        let port = try LoopbackSocket.freePort()
        #expect(await LoopbackPort.free(port) == port)
        #expect(await LoopbackPort.free(port) == nil)
        let other = try #require(await LoopbackPort.free(0))
        #expect(other > 0 && other != port)
    }

    @Test func `a port on which another program listens is not free`() async throws {
        let listener = try LoopbackSocket.listening()
        #expect(await LoopbackPort.free(listener.port) == nil)
        withExtendedLifetime(listener) {}
    }
}

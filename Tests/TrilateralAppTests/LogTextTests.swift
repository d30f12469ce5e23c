import JSON
import Testing
import TrilateralApp

struct LogTextTests {
    @Test(
        arguments: [
            (#"{"kind":"set","target":"5f","slug":"desk-lamp","node":null}"#, "desk-lamp"),
            (#"{"kind":"set","target":"5f","slug":"desk-lamp","node":"anna"}"#, "desk-lamp (anna)"),
            (#"{"kind":"device","target":"device","slug":"0a1b","node":"anna"}"#, "anna"),
            (#"{"kind":"device","target":"device","slug":"0a1b","node":null}"#, "0a1b"),
            (#"{"kind":"set","target":null,"slug":null,"node":"anna"}"#, "anna"),
            (#"{"kind":"user add","target":"bob","slug":null}"#, "bob"), (#"{"kind":"reload"}"#, nil),
        ] as [(String, String?)]
    )
    func `a row says what was meant, and of several devices whose it was`(row: String, target: String?) throws
    {
        let members = try #require(try JSONValue(parsing: row).object)
        #expect(LogText.target(of: members)?.string == target)
    }
}

import Controller
import Foundation
import JSON
import People
import Sensing
import Text

/// A token of the owner for as long as a verb runs.
///
/// Who may open the daemon's socket may have one. It ends by itself after some hours, should nobody remove it.
struct TemporaryToken {
    private static let lifetime: Int64 = 6 * 3_600_000

    /// What the owner brings.
    let text: String
    private let id: String
    private let client: AdministrationClient

    /// - Parameter folder: The daemon's state folder.
    /// - Returns: `nil` if the daemon's socket does not answer, or is somebody else's.
    init?(of owner: String, in folder: String, for verb: String) async {
        client = AdministrationClient(folder: folder)
        let end = CivilTime(milliseconds: RuntimeClock.now().wallMilliseconds + Self.lifetime).shortText
        let name = "\(verb) \(UUID().uuidString.prefix(8))"
        let request = AdministrationClient.request(
            .post,
            ["tokens"],
            body: ["user": .string(owner), "name": .string(name), "until": .string(end)]
        )
        guard let answer = try? await client.send(request), let id = answer.body?["id"]?.string,
            let text = answer.body?["token"]?.string
        else { return nil }
        (self.id, self.text) = (id, text)
    }

    func remove() async {
        _ = try? await client.send(AdministrationClient.request(.delete, ["tokens", id]))
    }
}

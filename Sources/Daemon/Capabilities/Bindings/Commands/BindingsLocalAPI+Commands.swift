import Accounts
import Bindings
import HTTPListener
import JSON
import People
import Things

/// Commands at `admin.sock`.
extension BindingsLocalAPI {
    /// Gives a command; whoever asks learns its end by its identifier.
    func give(
        _ request: LocalRequest,
        to entry: BindingDirectory.Entry,
        _ requester: BindingService.Requester
    ) async throws(BindingsError) -> LocalResponse {
        var body = try members(request)
        let tag = try body.optional("tag")
        let wanted: CommandRequest
        do throws(Refusal) {
            wanted = try CommandRequest(message: .object(body.rest), others: [])
        } catch {
            throw .refused(error)
        }
        let issuer = try await issuer(tag, entry)
        let id = try await service.give(wanted, to: entry, issuer: issuer, by: requester)
        return .json(201, ["commandID": .string(id)])
    }

    /// A command as it is now.
    func command(_ id: String, of entry: BindingDirectory.Entry) async throws(BindingsError) -> LocalResponse
    {
        .json(200, .object(try await service.command(id, of: entry).json()))
    }

    /// The owner of an instance, which must be of the thing.
    private func issuer(_ tag: String?, _ entry: BindingDirectory.Entry) async throws(BindingsError)
        -> Grantee?
    {
        guard let tag else { return nil }
        guard let instance = try await service.instance(tag) else { throw BindingService.noInstance(tag) }
        let thing = try instance.onboardedThing.get()
        guard thing == entry.id else {
            let vendor = service.directory.entry(thing)?.vendor ?? "\(thing)"
            throw .refused(
                .invalidValue,
                "\(instance.title) is of thing \(vendor), not of \(entry.vendor)",
                field: "tag"
            )
        }
        return instance.owner
    }
}
